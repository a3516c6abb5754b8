import { DEFAULTS } from '../../src/config/defaults.ts';
import { microUsdOf, priceFor } from '../../src/core/governor/cost/prices.ts';
import type { CallSeen, CompactionSeen, ResultSeen } from '../../src/replay/items-seen.ts';
import { createSessionReplay } from '../../src/replay/session-replay.ts';
import type { SessionSummary } from '../../src/replay/summary.ts';
import { type CompareOptions, comparePolicies, whatIfTotals } from '../../src/replay/what-if/compare.ts';
import { type ReadPolicy, readPolicy } from '../../src/replay/what-if/read-policy.ts';
import type { SessionWhatIf, WhatIfPolicy, WhatIfTotals } from '../../src/replay/what-if/what-if.ts';
import { runWith } from './governor.ts';
import type { Random } from './random.ts';
import { asRead, linesOf } from './recordings.ts';
import { unmasked } from './unmasked.ts';

/** A call as a test says it: what it leaves out follows from the call before. */
export interface CallSketch {
  readonly context: number;
  readonly turn?: number;
  readonly output?: number;
  readonly added?: CallSeen['added'];
  /** What of the context was read from the cache; usually the context before. */
  readonly cacheRead?: number;
  /** Results that came in for it, by tool. */
  readonly results?: readonly (readonly [tool: string, tokens: number])[];
}

export interface SessionSketch {
  readonly calls: readonly CallSketch[];
  /** Numbers of calls after which a compaction happened. */
  readonly compactedAfter?: readonly number[];
  readonly by?: CompactionSeen['by'];
  readonly window?: number;
  readonly model?: string;
  readonly version?: string;
}

/** A recorded session with its series, as far as a simulation looks at it. */
export function sketched({ calls, compactedAfter = [], by = 'claude', ...more }: SessionSketch): SessionSummary {
  const { window = 200_000, model = 'claude-opus-4-5', version = '2.1.197' } = more;
  const series = calls.map((call, at) => callOf(call, at, calls[at - 1], { window, model }));
  const summary = trackedSummary([]);
  return {
    ...summary,
    claudeCodeVersion: version,
    model,
    window: { tokens: window, source: 'result' },
    calls: series.length,
    compactions: compactedAfter.map((call) => compactionOf(call, by, series)),
    series,
    prompts: [],
    results: calls.flatMap(({ results = [] }, at) => results.map((result) => resultOf(result, at + 1))),
  };
}

function callOf(
  { context, turn = 1, output = 0, added = {}, cacheRead }: CallSketch,
  at: number,
  before: CallSketch | undefined,
  { window, model }: { readonly window: number; readonly model: string },
): CallSeen {
  const hit = Math.min(context, cacheRead ?? before?.context ?? 0);
  const input = Math.min(4, context - hit);
  const usage = { input, cacheCreation: context - hit - input, cacheRead: hit, output };
  const price = priceFor(model, {}, undefined);
  return {
    number: at + 1,
    line: at + 1,
    t: null,
    turn,
    messageId: `m${at}`,
    model,
    window,
    context,
    ...usage,
    outputKnown: true,
    billedOutput: output,
    predicted: null,
    usd: price === undefined ? null : microUsdOf(usage, price) / 1_000_000,
    added,
  };
}

function compactionOf(call: number, by: CompactionSeen['by'], series: readonly CallSeen[]): CompactionSeen {
  const before = series[call - 1]?.context ?? 0;
  const trigger = by === 'claude' || by === 'placed' ? 'auto' : 'manual';
  const firstAfter = series[call]?.context ?? null;
  const place = { call, line: call, t: series[call - 1]?.t ?? null, model: series[call - 1]?.model ?? null };
  return { trigger, how: 'summary', by, ...place, preTokens: before, gaugeBefore: before, firstAfter };
}

function resultOf([tool, tokens]: readonly [string, number], call: number): ResultSeen {
  return { tool, target: '', tokens, line: call, call, stayed: 1 };
}

/** What a replay with the series says of some lines. */
function trackedSummary(lines: readonly string[]): SessionSummary {
  const run = runWith({ mode: 'replay', policy: DEFAULTS });
  const replay = createSessionReplay({ run, series: true, mask: unmasked });
  for (const line of lines) replay.line(asRead(line));
  return replay.summary('recording');
}

/** What a replay with the series says of a recording on disk. */
export function recordedSession(path: string): SessionSummary {
  return trackedSummary(linesOf(path));
}

/** A session by chance: turns of some calls, tools with results of all sizes, now and then a compaction. */
export function randomSession(random: Random, { compactions = true } = {}): SessionSummary {
  const calls: CallSketch[] = [];
  const compactedAfter: number[] = [];
  let context = random.whole(5_000, 60_000);
  let turn = 1;
  for (let at = random.whole(1, 80); at > 0; at--) {
    const results = Array.from({ length: random.whole(0, 2) }, () => ['Read', random.whole(10, 20_000)] as const);
    const sum = results.reduce((all, [, tokens]) => all + tokens, 0);
    const prompt = random.whole(1, 3_000);
    const beginsTurn = calls.length > 0 && random.chance(0.3);
    if (beginsTurn) turn++;
    const isCompacted = compactions && calls.length > 0 && (context > 180_000 || random.chance(0.03));
    if (isCompacted) compactedAfter.push(calls.length);
    const dropped = random.chance(0.05) ? random.whole(0, 5_000) : 0;
    const grown = Math.max(1_000, context + sum + prompt - dropped);
    context = isCompacted ? random.whole(20_000, 60_000) : grown;
    calls.push({ context, turn, output: random.whole(1, 2_000), results, added: { Read: sum, prompt } });
  }
  return sketched({ calls, compactedAfter, window: 1_000_000 });
}

/** A policy as `--what-if` reads it. It must be a good one. */
export function whatIfPolicy(content: object = {}): WhatIfPolicy {
  const { whatIf, findings }: ReadPolicy = readPolicy({ path: 'test', content }, 'policy');
  if (findings.length > 0) throw new Error(findings.map(({ message }) => message).join('\n'));
  return whatIf;
}

/** What policies come to on sessions, which must not all be without calls. */
export function compared(
  sessions: readonly SessionSummary[],
  options: Partial<CompareOptions>,
): { readonly sessions: readonly (SessionWhatIf | undefined)[]; readonly totals: WhatIfTotals } {
  const tried = comparePolicies(sessions, { policies: [], prices: {}, withCurves: false, ...options });
  const totals = whatIfTotals(tried);
  if (totals === undefined) throw new Error('sessions without calls or a known window');
  return { sessions: tried.map(({ whatIf }) => whatIf), totals };
}

import { DEFAULTS } from '../../src/config/defaults.ts';
import { microUsdOf, priceFor } from '../../src/core/governor/cost/prices.ts';
import type { CallSeen, CompactionSeen, ResultSeen } from '../../src/replay/items-seen.ts';
import { createSessionReplay } from '../../src/replay/session-replay.ts';
import type { SessionSummary } from '../../src/replay/summary.ts';
import { runWith } from './governor.ts';
import { asRead } from './recordings.ts';
import { unmasked } from './unmasked.ts';

/** A call as a test says it: what it leaves out follows from the call before. */
export interface CallSketch {
  readonly context: number;
  readonly turn?: number;
  readonly output?: number;
  /** As far as known; usually all of the output. */
  readonly billedOutput?: number;
  readonly added?: CallSeen['added'];
  /** What of the context was read from the cache; usually the context before. */
  readonly cacheRead?: number;
  /** Results that came in for it, by tool. */
  readonly results?: readonly (readonly [tool: string, tokens: number])[];
  readonly uses?: CallSeen['uses'];
  /** Milliseconds since the epoch. */
  readonly t?: number;
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
  { context, turn = 1, output = 0, billedOutput = output, added = {}, cacheRead, uses, t }: CallSketch,
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
    t: t ?? null,
    turn,
    messageId: `m${at}`,
    model,
    window,
    context,
    ...usage,
    outputKnown: true,
    billedOutput,
    predicted: null,
    usd: price === undefined ? null : microUsdOf(usage, price) / 1_000_000,
    added,
    ...(uses && { uses }),
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

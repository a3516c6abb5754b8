import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULTS } from '../../src/config/defaults.ts';
import type { Policy } from '../../src/core/governor/policy.ts';
import type { SessionWhatIf } from '../../src/replay/played-session.ts';
import type { RecordedCall } from '../../src/replay/recorded-items.ts';
import type { SessionSummary } from '../../src/replay/summary.ts';
import { type PageData, pageData, replayHtml } from '../../src/report/replay-html/page-data.ts';
import { createRandom } from './random.ts';

const TEMPLATE = fileURLToPath(new URL('../../dist/replay.html', import.meta.url));

const NOTHING = { input: 0, cacheCreation: 0, cacheRead: 0, output: 0 };

/** Tokens that a call reads uncached in addition to its new input. */
const FRESH = 6;

/** A session of a summary, with its series: it grows, and is compacted at 80 % of 200,000 tokens. */
export function aSession({
  calls = 60,
  seed = 1,
  ...changes
}: { calls?: number; seed?: number } & Partial<SessionSummary>) {
  const { series, compactions } = callsOf(calls, seed);
  const contexts = series.map(({ context }) => context);
  const peak = contexts.reduce((most, context) => Math.max(most, context), 0);
  const session: SessionSummary = {
    file: `project-${seed % 7}/session-${seed}.jsonl`,
    sessionId: `id-${seed}`,
    oddities: [],
    dialect: 'session',
    claudeCodeVersion: '2.1.197',
    model: 'claude-sonnet-4-5',
    project: '/home/dev/project',
    prompt: 'do part 1',
    time: { first: 1_700_000_000_000, last: 1_700_000_000_000 + calls * 30_000 },
    window: { tokens: 200_000, source: 'result' },
    turns: Math.ceil(calls / 10),
    calls,
    context: {
      last: contexts.at(-1) ?? 0,
      peak,
      peakFraction: peak === 0 ? null : peak / 200_000,
      peakCall: contexts.indexOf(peak) + 1,
      basis: 'measured',
    },
    ledger: { numbers: [], times: [], models: [], microUsd: [], usages: [] },
    keys: new Float64Array(),
    traffic: { main: NOTHING, subagents: NOTHING },
    compactions,
    actions: compactions.map(({ call }) => ({
      kind: 'warn',
      at: { turn: Math.floor(call / 10), call: Math.max(0, call - 5) },
      reason: 'full',
      gauge: {
        used: 150_000,
        predicted: 150_000,
        window: 200_000,
        windowSource: 'result',
        fraction: 0.75,
        basis: 'measured',
      },
    })),
    cost: { usd: series.reduce((sum, { usd }) => sum + (usd ?? 0), 0), computed: true },
    growth: {},
    subagents: [],
    lines: { total: calls * 4, unknown: 0, malformed: 0 },
    series,
    prompts: Array.from({ length: Math.ceil(calls / 10) }, (_, at) => ({
      turn: at + 1,
      line: at * 40 + 1,
      t: null,
      text: `do part ${at + 1}`,
      tokens: 5,
    })),
    results: series.flatMap(({ number, added, line }) =>
      added.Read === undefined
        ? []
        : [{ tool: 'Read', target: `src/file-${number}.ts`, tokens: added.Read, line, call: number, stayed: 3 }],
    ),
  };
  return { ...session, ...changes };
}

function callsOf(count: number, seed: number) {
  const { whole } = createRandom(seed);
  const series: RecordedCall[] = [];
  const compactions: SessionSummary['compactions'][number][] = [];
  let context = 20_000;
  for (let number = 1; number <= count; number++) {
    const read = whole(0, 9_000);
    const answer = whole(100, 1_000);
    const before = context;
    const isCompacted = context + read + answer > 160_000;
    context = isCompacted ? 30_000 : context + read + answer;
    if (isCompacted) compactions.push(compactionAt(number, before));
    series.push({
      number,
      line: number * 4,
      t: 1_700_000_000_000 + number * 30_000,
      turn: Math.ceil(number / 10),
      messageId: `msg_${number}`,
      model: 'claude-sonnet-4-5',
      window: 200_000,
      context,
      input: FRESH,
      cacheCreation: read,
      cacheRead: context - read - FRESH,
      output: answer,
      outputKnown: number % 3 !== 0,
      billedOutput: answer,
      predicted: number === 1 || isCompacted ? null : context - whole(0, 100),
      usd: context / 2_000_000,
      added: number % 4 === 0 ? { answer, Bash: read } : { answer, Read: read },
    });
  }
  return { series, compactions };
}

function compactionAt(number: number, before: number): SessionSummary['compactions'][number] {
  return {
    trigger: 'auto',
    how: 'summary',
    by: 'claude',
    call: number - 1,
    line: number * 4 - 1,
    t: null,
    model: null,
    preTokens: before,
    gaugeBefore: before,
    firstAfter: 30_000,
  };
}

/** What a session would have come to with ctxb, with this context of each call. */
export function whatIfOf(curve: readonly number[]): SessionWhatIf {
  return { curve } as unknown as SessionWhatIf;
}

export function pageDataOf(sessions: readonly SessionSummary[], policy: Policy = DEFAULTS): PageData {
  return pageData(sessions, policy);
}

/** The page of such sessions as a file; returns its address. */
export function writePageOf(folder: string, sessions: readonly SessionSummary[]): string {
  const file = join(folder, 'page.html');
  writeFileSync(file, replayHtml(readFileSync(TEMPLATE, 'utf8'), pageDataOf(sessions)));
  return `file://${file}`;
}

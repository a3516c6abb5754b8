import { Readable } from 'node:stream';
import { DEFAULTS } from '../../src/config/defaults.ts';
import type { Decision } from '../../src/core/governor/decisions.ts';
import type { Growth, RecordedCompaction } from '../../src/replay/recorded-items.ts';
import { replaySource } from '../../src/replay/replay.ts';
import { findSources } from '../../src/replay/sources.ts';
import type { SessionSummary } from '../../src/replay/summary.ts';
import type { Outcome, Page, Report } from '../../src/report/replay/format.ts';
import { PLAIN } from '../../src/report/style.ts';
import { fixture } from './recordings.ts';
import { unmasked } from './unmasked.ts';

export const WARNING: Decision = {
  kind: 'warn',
  at: { turn: 0, call: 3 },
  reason: '160002 tokens have crossed 140000 of 200000',
  gauge: {
    used: 160_000,
    predicted: 160_002,
    window: 200_000,
    windowSource: 'version',
    fraction: 0.80001,
    basis: 'measured',
  },
};

const NO_USAGE = { input: 0, cacheCreation: 0, cacheRead: 0, output: 0 };

const COMPACTION: RecordedCompaction = {
  trigger: 'manual',
  how: 'summary',
  by: 'ctxb',
  call: 3,
  line: 400,
  t: null,
  model: null,
  preTokens: 160_008,
  gaugeBefore: 160_002,
  firstAfter: 31_000,
};

export function compactionOf(changes: Partial<RecordedCompaction> = {}): RecordedCompaction {
  return { ...COMPACTION, ...changes };
}

const SESSION: SessionSummary = {
  file: 'session.ndjson',
  oddities: [],
  sessionId: 's1',
  dialect: 'stream',
  claudeCodeVersion: '2.1.197',
  model: 'claude-sonnet-4-5',
  window: { tokens: 200_000, source: 'result' },
  turns: 3,
  calls: 5,
  context: {
    last: 31_500,
    peak: 160_000,
    peakFraction: 0.8,
    peakCall: 3,
    basis: 'measured',
  },
  compactions: [COMPACTION],
  actions: [WARNING],
  project: '/project',
  prompt: 'mend the lexer',
  ledger: { numbers: [], times: [], models: [], microUsd: [], usages: [] },
  keys: new Float64Array(),
  time: { first: null, last: null },
  traffic: { main: NO_USAGE, subagents: NO_USAGE },
  growth: { prompt: 20, Read: 100_000 },
  cost: { usd: 0.708, computed: false },
  subagents: [{ id: 'a', kind: null, peak: 9_400, calls: 2, tokens: 18_000, usd: 0.02, estimated: false }],
  lines: { total: 1_019, unknown: 0, malformed: 0 },
};

/** A session of five calls that was compacted after the third, with some parts changed. */
export function summaryOf(
  changes: Partial<Omit<SessionSummary, 'context'>> & { readonly context?: Partial<SessionSummary['context']> } = {},
): SessionSummary {
  return { ...SESSION, ...changes, context: { ...SESSION.context, ...changes.context } };
}

/** A page of 80 columns without colors. */
export function pageOf(changes: Partial<Page> = {}): Page {
  return {
    style: PLAIN,
    columns: 80,
    edge: Number.POSITIVE_INFINITY,
    levels: DEFAULTS,
    list: {},
    ...changes,
  };
}

/**
 * One of our own recordings, with its calls, as if it lay in the working folder. What is estimated is set to a fixed
 * figure: how well it is estimated is tested elsewhere.
 */
export async function judged(name: string): Promise<SessionSummary> {
  return withFixedEstimates({ ...(await replayed(fixture(name))), file: name });
}

/** The whole summary of a recording, with its calls. */
export async function replayed(path: string): Promise<SessionSummary> {
  const options = { policy: DEFAULTS, series: true, stdin: Readable.from([]), mask: unmasked };
  const [source = { file: path, subagents: [] }] = findSources(path);
  return replaySource(source, options);
}

function withFixedEstimates(session: SessionSummary): SessionSummary {
  const { growth, results = [], compactions, series = [], traffic } = session;
  return {
    ...session,
    growth: fixed(growth),
    traffic: { ...traffic, main: { ...traffic.main, output: 40 } },
    results: results.map((result) => ({ ...result, tokens: 300 })),
    compactions: compactions.map((compaction) => ({ ...compaction, gaugeBefore: 150_000 })),
    series: series.map((call) => ({
      ...call,
      output: 10,
      predicted: call.predicted === null ? null : call.context,
      usd: 0.15,
      added: fixed(call.added),
    })),
  };
}

const ESTIMATES: Readonly<Record<string, number>> = { prompt: 20, answer: 30, summary: 200 };

function fixed(growth: Growth): Growth {
  const sources = Object.keys(growth).filter((source) => source !== 'notice');
  return Object.fromEntries(sources.map((source) => [source, ESTIMATES[source] ?? 100]));
}

/** A whole report. */
export function written(
  report: Report,
  sessions: readonly SessionSummary[],
  { page = pageOf(), breaches = [], faults = [] }: Partial<Outcome> & { readonly page?: Page } = {},
): string {
  return [...report(sessions, page, { breaches, faults })].map((line) => `${line}\n`).join('');
}

import type { Decision } from '../core/governor/decisions.ts';
import type { Basis } from '../core/governor/gauge/gauge.ts';
import type { WindowSource } from '../core/governor/gauge/window.ts';
import type { Usage } from '../core/protocol/usage.ts';
import type { Explanation } from './explain.ts';
import type {
  CallSeen,
  CompactionFigures,
  CompactionSeen,
  CountedCall,
  Growth,
  LedgerCall,
  PromptSeen,
  ReliefSeen,
  ResultSeen,
  SubagentSeen,
} from './items-seen.ts';
import type { Oddity } from './observers/oddities.ts';
import type { Grouping, RetentionTotals, Sum } from './sums.ts';
import type { SessionWhatIf, WhatIfTotals } from './what-if.ts';

/** What lists, sums and gates need of one recording: a light reading gives the same as a full one. Tokens throughout. */
export interface SessionFigures {
  readonly file: string;
  readonly sessionId: string | null;
  readonly dialect: Dialect;
  readonly claudeCodeVersion: string | null;
  readonly model: string | null;
  /** claude's working folder. */
  readonly project: string | null;
  /** The first that was said, on one line, masked and cut; null where the recording does not say. */
  readonly prompt: string | null;
  /** Of the first line that carries one, and of the last, in milliseconds since the epoch. */
  readonly time: { readonly first: number | null; readonly last: number | null };
  /** null: not known, nor are shares of it. */
  readonly window: { readonly tokens: number | null; readonly source: WindowSource };
  readonly calls: number;
  readonly context: ContextFigures;
  /** Every call, of subagents too; where others were replayed beside it, those that count here. They may have to be unpacked. */
  readonly ledger: () => readonly LedgerCall[];
  /** The keys of all calls as one text, where they are packed. */
  readonly keys?: string;
  /** What it holds of other sessions of the same replay, and does not count; missing: nothing. */
  readonly copied?: Copied;
  readonly compactions: readonly CompactionFigures[];
  /** null: the recording does not say. */
  readonly cost: {
    readonly usd: number | null;
    /** Some of it is computed from the price table, not reported by claude. */
    readonly computed: boolean;
    /** A model without a price, whose calls it leaves out. */
    readonly unpriced?: string;
    /** In the record of a run: what compacting saved beside claude alone; below 0 it cost more. Missing: nothing. */
    readonly saved?: number;
  };
  readonly lines: {
    readonly total: number;
    readonly unknown: number;
    readonly malformed: number;
    /** Malformed ones that held a call; missing: none. */
    readonly lost?: number;
  };
}

export interface ContextFigures {
  readonly peak: number;
  /** Of the window of the model that had it. */
  readonly peakFraction: number | null;
  /** The largest share of a window that was in use, where that is another model's, whose window is smaller. */
  readonly largestFraction?: number | null;
  /** Number of the call that the peak was measured at, from 1; 0 where no call was measured. */
  readonly peakCall: number;
  /** The context over the calls, as the largest of equally many calls each; at most 60 figures. */
  readonly curve: readonly number[];
}

/** What a replay says about one recording; every report but lists and sums is made from this. */
export interface SessionSummary extends SessionFigures {
  readonly turns: number;
  readonly context: ContextFigures & { readonly last: number; readonly basis: Basis };
  readonly ledger: () => readonly CountedCall[];
  /** Sums over the calls in the ledger: `cacheRead` is what was read again and again. Output is estimated where it is not known. */
  readonly traffic: { readonly main: Usage; readonly subagents: Usage };
  readonly compactions: readonly CompactionSeen[];
  /** What the policy would have done, or, for a record of a run, did. */
  readonly actions: readonly Decision[];
  /** Calls after a pause that was longer than the life of the prompt cache, where there were any. */
  readonly pauses?: Pauses;
  /** Times in which the API did not answer, where there were any. */
  readonly waits?: Waits;
  /** Estimated tokens that were put into the main thread's context, by what they came from. */
  readonly growth: Growth;
  /** The largest results of tools in the main thread, the largest first. */
  readonly largest: readonly ResultSeen[];
  /** The session ids that the work went on under, in order. */
  readonly lineage: readonly {
    readonly from: string;
    readonly to: string;
    readonly reason: string;
    readonly context: number;
  }[];
  readonly subagents: readonly SubagentSeen[];
  /** What is out of the ordinary in the recording, by kind; the rarest are not lost among the frequent. */
  readonly oddities: readonly Oddity[];
  /** Where the figures of a call come from, where it was asked for; null where there is no such call. */
  readonly explanation?: Explanation | null;
  /** What each relief kept, where it was asked for. */
  readonly retention?: readonly ReliefSeen[];
  /** Main-thread calls, where they were asked for. */
  readonly series?: readonly CallSeen[];
  /** What was said to begin turns, where the series was asked for. */
  readonly prompts?: readonly PromptSeen[];
  /** All results of tools in the main thread in order, where the series was asked for. */
  readonly results?: readonly ResultSeen[];
  /** What it would have come to with ctxb, where that was asked for. */
  readonly whatIf?: SessionWhatIf;
}

/** Whether a recording was judged whole. */
export function isFull(session: SessionFigures): session is SessionSummary {
  return 'traffic' in session;
}

/** The prompt cache after pauses, by the usage of the calls that followed them. */
export interface Pauses {
  readonly count: number;
  /** Of these, how often the cache had indeed expired. */
  readonly expired: number;
  /** What was read again then, and what that cost from list prices; a model without a price counts as nothing. */
  readonly tokens: number;
  readonly usd: number;
  /** What the same would have cost from the cache. */
  readonly cachedUsd: number;
}

/** Waits for usage limits to reset, and for outages of the API to end. */
export interface Waits {
  readonly limits: number;
  readonly limitMs: number;
  readonly outages: number;
  readonly outageMs: number;
}

/** `stream`: what claude wrote to stdout, also in a record of a run. `session`: claude's own log. */
export type Dialect = 'stream' | 'session';

/** The replay of one or more recordings, as `--json` prints it. */
export interface ReplayReport {
  readonly version: 1;
  readonly sessions: readonly ReportedSession[];
  /** Over all sessions: a call that several of them hold counts once. */
  readonly totals: Totals;
  /** What `sums` are by, where they were asked for; with `--since` they are of what came since then. */
  readonly by?: Grouping;
  readonly sums?: readonly Sum[];
  /** What all reliefs kept together, where it was asked for. */
  readonly retention?: RetentionTotals;
  /** What all would have come to with ctxb, where that was asked for. */
  readonly whatIf?: WhatIfTotals;
}

/** What a session holds of others: claude copies the history into the log of a session that it forks or resumes. */
export interface Copied {
  /** The sessions in which these calls count, by id, or by file where there is none; of most calls first. */
  readonly from: readonly { readonly session: string; readonly calls: number }[];
  /** Of the main thread. */
  readonly calls: number;
  readonly compactions: number;
  /** What it cost there. */
  readonly usd: number;
}

/** Without the calls that only sums are made of. */
export type ReportedSession = Omit<SessionSummary, 'ledger'>;

/** What sessions amount to. */
export interface Totals {
  readonly sessions: number;
  /** The highest share of a window; null where none is known. */
  readonly peakFraction: number | null;
  /** Of main threads. */
  readonly calls: number;
  readonly compactions: number;
  /** US dollars of those sessions whose cost is known; null where none is. */
  readonly usd: number | null;
  /** Some of the cost is not known, so that it is more than that; missing: all is. */
  readonly usdPartial?: true;
  /** Calls that stand in further sessions, and count once. */
  readonly copiedCalls: number;
}

/** Which share of the recorded time was waited; null where the times do not hold the waits. */
export function waitedShare({ limitMs, outageMs }: Waits, { first, last }: SessionSummary['time']): number | null {
  const [waited, all] = [limitMs + outageMs, (last ?? 0) - (first ?? 0)];
  return all > 0 && all >= waited ? waited / all : null;
}

/** The summary alone, where what is in it one by one was only asked for by another report. */
export function withoutSeries({ series: _, prompts: __, results: ___, ...summary }: SessionSummary): SessionSummary {
  if (summary.whatIf === undefined) return summary;
  const { curve: ____, ...whatIf } = summary.whatIf;
  return { ...summary, whatIf };
}

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

/** The figures of one recording for lists, sums and gates: the same in a light and a full reading. All in tokens. */
export interface SessionFigures {
  readonly file: string;
  readonly sessionId: string | null;
  readonly dialect: Dialect;
  readonly claudeCodeVersion: string | null;
  readonly model: string | null;
  /** claude's working folder. */
  readonly project: string | null;
  /** The first prompt, on one line, masked and cut; null if the recording does not have it. */
  readonly prompt: string | null;
  /** Times of the first and last line with one, in milliseconds since the epoch. */
  readonly time: { readonly first: number | null; readonly last: number | null };
  /** null: unknown, and so are shares. */
  readonly window: { readonly tokens: number | null; readonly source: WindowSource };
  readonly calls: number;
  readonly context: ContextFigures;
  /** Every call, also of subagents; with other recordings, only those that count here. They may have to be unpacked. */
  readonly ledger: () => readonly LedgerCall[];
  /** The keys of all calls as one text, where they are packed. */
  readonly keys?: string;
  /** Calls copied from other sessions of the same replay, which do not count here; missing: none. */
  readonly copied?: Copied;
  readonly compactions: readonly CompactionFigures[];
  /** null: the recording does not say. */
  readonly cost: {
    readonly usd: number | null;
    /** Part of it comes from the price table, not from claude. */
    readonly computed: boolean;
    /** A model without a price, whose calls it leaves out. */
    readonly unpriced?: string;
    /** In the record of a run: the saving compared with claude alone; below 0 it cost more. Missing: none. */
    readonly saved?: number;
  };
  readonly lines: {
    readonly total: number;
    readonly unknown: number;
    readonly malformed: number;
    /** Malformed lines with a call; missing: none. */
    readonly lost?: number;
    /** Calls of which no line tells the size; missing: none. They are in no other figure. */
    readonly unsized?: number;
  };
}

export interface ContextFigures {
  readonly peak: number;
  /** Share of the window of its own model. */
  readonly peakFraction: number | null;
  /** The largest share of a window that was in use, where that is another model's, whose window is smaller. */
  readonly largestFraction?: number | null;
  /** Number of the call that the peak was measured at, from 1; 0 where no call was measured. */
  readonly peakCall: number;
  /** The context over the calls, as the largest of equally many calls each; at most 60 figures. */
  readonly curve: readonly number[];
}

/** The full figures of one recording, for every report but lists and sums. */
export interface SessionSummary extends SessionFigures {
  readonly turns: number;
  readonly context: ContextFigures & { readonly last: number; readonly basis: Basis };
  readonly ledger: () => readonly CountedCall[];
  /** Sums over the calls in the ledger: `cacheRead` is what was read again and again. Output is estimated where it is not known. */
  readonly traffic: { readonly main: Usage; readonly subagents: Usage };
  readonly compactions: readonly CompactionSeen[];
  /** Decisions that the policy would have made, or, in a record of a run, made. */
  readonly actions: readonly Decision[];
  /** Calls after a pause that was longer than the life of the prompt cache, where there were any. */
  readonly pauses?: Pauses;
  /** Estimated tokens that were put into the main thread's context, by what they came from. */
  readonly growth: Growth;
  /** The largest results of tools in the main thread, the largest first. */
  readonly largest: readonly ResultSeen[];
  /** The session ids of the work, in order. */
  readonly lineage: readonly {
    readonly from: string;
    readonly to: string;
    readonly reason: string;
    readonly context: number;
  }[];
  readonly subagents: readonly SubagentSeen[];
  /** Oddities of the recording, by kind, so that frequent ones do not hide rare ones. */
  readonly oddities: readonly Oddity[];
  /** The origin of a call's figures, if requested; null if there is no such call. */
  readonly explanation?: Explanation | null;
  /** Facts kept by each compaction or handoff, if requested. */
  readonly retention?: readonly ReliefSeen[];
  /** Main-thread calls, where they were asked for. */
  readonly series?: readonly CallSeen[];
  /** The prompts of turns, if the series was requested. */
  readonly prompts?: readonly PromptSeen[];
  /** All results of tools in the main thread in order, where the series was asked for. */
  readonly results?: readonly ResultSeen[];
  /** The estimate with ctxb, if requested. */
  readonly whatIf?: SessionWhatIf;
}

/** Whether a recording was judged whole. */
export function isFull(session: SessionFigures): session is SessionSummary {
  return 'traffic' in session;
}

/** The prompt cache after pauses, by the usage of the calls that followed them. */
export interface Pauses {
  readonly count: number;
  /** How often the cache had really expired. */
  readonly expired: number;
  /** Tokens read again then, and their cost from list prices; a model without a price counts as 0. */
  readonly tokens: number;
  readonly usd: number;
  /** The cost of the same tokens from the cache. */
  readonly cachedUsd: number;
}

/** `stream`: what claude wrote to stdout, also in a record of a run. `session`: claude's own log. */
export type Dialect = 'stream' | 'session';

/** The replay of one or more recordings, as `--json` prints it. */
export interface ReplayReport {
  readonly version: 1;
  readonly sessions: readonly ReportedSession[];
  /** Over all sessions: a call in several of them counts once. */
  readonly totals: Totals;
  /** The grouping of `sums`, if requested; with `--since` they cover the time since then. */
  readonly by?: Grouping;
  readonly sums?: readonly Sum[];
  /** Facts kept by all compactions and handoffs, if requested. */
  readonly retention?: RetentionTotals;
  /** The estimate of all with ctxb, if requested. */
  readonly whatIf?: WhatIfTotals;
}

/** A session's calls from others: claude copies the history into the log of a session that it forks or resumes. */
export interface Copied {
  /** The sessions in which these calls count, by id, or by file without one; most calls first. */
  readonly from: readonly { readonly session: string; readonly calls: number }[];
  /** Of the main thread. */
  readonly calls: number;
  readonly compactions: number;
  /** Their cost. */
  readonly usd: number;
}

/** Without what only sums are made of. */
export type ReportedSession = Omit<SessionSummary, 'ledger' | 'keys'>;

/** Sums over sessions. */
export interface Totals {
  readonly sessions: number;
  /** The highest share of a window; null if none is known. */
  readonly peakFraction: number | null;
  /** Of main threads. */
  readonly calls: number;
  readonly compactions: number;
  /** US dollars of the sessions with a known cost; null if no cost is known. */
  readonly usd: number | null;
  /** Part of the cost is unknown, so the sum is a lower bound; missing: all is known. */
  readonly usdPartial?: true;
  /** Calls that occur in further sessions, and count once. */
  readonly copiedCalls: number;
}

/** The summary alone, where what is in it one by one was only asked for by another report. */
export function withoutSeries({ series: _, prompts: __, results: ___, ...summary }: SessionSummary): SessionSummary {
  if (summary.whatIf === undefined) return summary;
  const { curve: ____, ...whatIf } = summary.whatIf;
  return { ...summary, whatIf };
}

import type { Decision } from '../core/governor/decisions.ts';
import type { SizeBasis } from '../core/governor/gauge/gauge.ts';
import type { WindowSource } from '../core/governor/gauge/window.ts';
import type { Usage } from '../core/protocol/usage.ts';
import type { Explanation } from './explain.ts';
import type { Ledger } from './ledger.ts';
import type { Oddity } from './observers/oddities.ts';
import type { SessionWhatIf } from './played-session.ts';
import type {
  CompactionFigures,
  Growth,
  RecordedCall,
  RecordedCompaction,
  RecordedPrompt,
  RecordedRelief,
  RecordedResult,
  RecordedSubagent,
  UnloggedAgent,
} from './recorded-items.ts';

/** The figures of one recording for lists, sums and gates, equal in light and full replays. Sizes are in tokens. */
export interface SessionFigures {
  readonly file: string;
  readonly sessionId: string | null;
  readonly dialect: Dialect;
  readonly claudeCodeVersion: string | null;
  readonly model: string | null;
  /** claude's working folder. */
  readonly project: string | null;
  /** The first prompt on one line, masked and cut; null if the recording does not contain it. */
  readonly prompt: string | null;
  /** Times of the earliest and the latest line, in milliseconds since the epoch; null if the recording has no times. */
  readonly time: { readonly first: number | null; readonly last: number | null };
  /** `tokens` is null if unknown; then all shares are null too. */
  readonly window: { readonly tokens: number | null; readonly source: WindowSource };
  readonly calls: number;
  readonly context: ContextFigures;
  /**
   * All calls, including subagents, or their JSON as a text or a `Buffer`; after `markCopies`, only the calls that count
   * in this session. `callsIn` reads them.
   */
  readonly ledger: Ledger | string | Uint8Array;
  /**
   * Numbers that identify the calls in the order of the ledger, or 0; a copy in another recording has the same. If a call
   * has a second one, all second ones follow.
   */
  readonly keys: Float64Array;
  /** Calls that count in other sessions of the same replay; missing without copies. */
  readonly copied?: CopiedCalls;
  readonly compactions: readonly CompactionFigures[];
  /** `usd` is null if the recording does not reveal a cost. */
  readonly cost: {
    readonly usd: number | null;
    /** Whether part of the cost is computed from list prices instead of reported by claude. */
    readonly computed: boolean;
    /** A model without a price, whose calls are not included, or a term of a call without a known price. */
    readonly unpriced?: string;
    /** Subagents without a log: their calls are not included. Absent if every subagent has a log. */
    readonly unlogged?: readonly UnloggedAgent[];
    /** Part of `usd` for calls that the recording does not show, if more than a tenth. Added by `markCopies`. */
    readonly unseen?: number;
    /**
     * Estimated saving compared with claude alone, in US dollars; negative if ctxb cost more. Only in the record of a
     * run. Missing if the costs are about equal or cannot be compared.
     */
    readonly saved?: number;
  };
  readonly lines: {
    readonly total: number;
    readonly unknown: number;
    readonly malformed: number;
    /** Malformed lines with a call; missing if 0. */
    readonly lost?: number;
    /** Calls without usage on all their lines; missing if 0. Excluded from all other figures. */
    readonly unsized?: number;
  };
}

export interface ContextFigures {
  readonly peak: number;
  /** Peak as a share of its model's window. */
  readonly peakFraction: number | null;
  /** The largest share of any window, if another model with a smaller window was fuller. */
  readonly largestFraction?: number | null;
  /** Number of the call with the peak, from 1; 0 without measured calls. */
  readonly peakCall: number;
}

/** The complete figures of one recording, for all reports except lists and sums. */
export interface SessionSummary extends SessionFigures {
  readonly turns: number;
  readonly context: ContextFigures & { readonly last: number; readonly basis: SizeBasis };
  /** Sums over the ledger; `cacheRead` counts cached context again for each call. Unknown output is estimated. */
  readonly traffic: { readonly main: Usage; readonly subagents: Usage };
  readonly compactions: readonly RecordedCompaction[];
  /** Decisions of ctxb: made, in the record of a run; otherwise those that the policy would have made. */
  readonly actions: readonly Decision[];
  /** Estimated tokens added to the main thread's context, by source. */
  readonly growth: Growth;
  readonly subagents: readonly RecordedSubagent[];
  /** Oddities by kind, so that frequent ones do not hide rare ones. */
  readonly oddities: readonly Oddity[];
  /** How the figures of a call were computed, if requested; null if the call does not exist. */
  readonly explanation?: Explanation | null;
  /** Facts kept by each compaction or handoff, if requested. */
  readonly retention?: readonly RecordedRelief[];
  /** The calls of the main thread, if requested. */
  readonly series?: readonly RecordedCall[];
  /** The prompts, if the series was requested. */
  readonly prompts?: readonly RecordedPrompt[];
  /** All tool results of the main thread in order, if the series was requested. */
  readonly results?: readonly RecordedResult[];
  /** The estimate with ctxb, if requested. */
  readonly whatIf?: SessionWhatIf;
}

/** Whether the figures come from a full replay. */
export function isFull(session: SessionFigures): session is SessionSummary {
  return 'traffic' in session;
}

/** `stream`: claude's stdout, or the record of a run. `session`: claude's own log. */
export type Dialect = 'stream' | 'session';

/**
 * The calls that a session shares with others: claude copies the history into the log of a session that it forks or
 * resumes.
 */
export interface CopiedCalls {
  /** The sessions in which these calls count, by id (or file, without an id), most calls first. */
  readonly from: readonly { readonly session: string; readonly calls: number }[];
  /** Copied calls of the main thread. */
  readonly calls: number;
  readonly compactions: number;
  /** Cost of the copied calls in US dollars. */
  readonly usd: number;
}

/** Figures to be added up: of a session, of a part of a session, or of a sum. */
export interface SummedFigures {
  /** Calls of main threads. */
  readonly calls: number;
  readonly compactions: number;
  /** Cost in US dollars of all with a known cost; null if no cost is known. */
  readonly usd: number | null;
  /** Part of the cost is unknown, so `usd` is a lower bound; missing if all is known. */
  readonly usdPartial?: boolean | undefined;
  /**
   * `usd` includes calls that a recording does not show, so it is an upper bound; missing if it includes none.
   */
  readonly usdUnseen?: boolean | undefined;
}

/** Removes the details that only another report requested. */
export function withoutSeries({ series: _, prompts: __, results: ___, ...summary }: SessionSummary): SessionSummary {
  if (summary.whatIf === undefined) return summary;
  const { curve: ____, ...whatIf } = summary.whatIf;
  return { ...summary, whatIf };
}

/**
 * Whether a session was active since a time. A recording without times counts as active, because the time of its file
 * was checked before.
 */
export function isActiveSince({ time }: SessionFigures, since: number | undefined): boolean {
  return since === undefined || time.last === null || time.last >= since;
}

/** Sorts sessions, newest first. Stable; a session without times comes last. */
export function newestFirst<S extends Pick<SessionFigures, 'time'>>(sessions: readonly S[]): S[] {
  const end = ({ time }: S) => time.last ?? Number.NEGATIVE_INFINITY;
  // The difference of two missing times is NaN, which counts as 0.
  return sessions.toSorted((a, b) => end(b) - end(a));
}

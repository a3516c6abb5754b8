import type { Decision } from '../governor/actions.ts';
import type { Basis, Gauge } from '../governor/gauge/gauge.ts';
import type { WindowSource } from '../governor/gauge/window.ts';

/** What a replay says about one recording. Tokens throughout; every report is made from this. */
export interface SessionSummary {
  readonly file: string;
  readonly sessionId: string | null;
  readonly dialect: Dialect;
  readonly claudeCodeVersion: string | null;
  readonly model: string | null;
  readonly window: { readonly tokens: number; readonly source: WindowSource };
  readonly turns: number;
  readonly calls: number;
  readonly context: {
    readonly last: number;
    readonly peak: number;
    readonly peakFraction: number;
    readonly basis: Basis;
  };
  readonly compactions: readonly CompactionSeen[];
  /** What the policy would have done, or, for a record of a run, did. */
  readonly actions: readonly Decision[];
  /** null: the recording does not say. */
  readonly cost: {
    readonly usd: number | null;
    /** Some of it is computed from the price table, not reported by claude. */
    readonly computed: boolean;
  };
  /** The session ids that the work went on under, in order. */
  readonly lineage: readonly {
    readonly from: string;
    readonly to: string;
    readonly reason: string;
    readonly context: number;
  }[];
  readonly subagents: readonly { readonly id: string; readonly peak: number; readonly calls: number }[];
  readonly lines: { readonly total: number; readonly unknown: number; readonly malformed: number };
  readonly series?: readonly CallSeen[];
}

/** `stream`: what claude wrote to stdout, also in a record of a run. `session`: claude's own log. */
export type Dialect = 'stream' | 'session';

/** A compaction that happened. */
export interface CompactionSeen {
  readonly trigger: 'auto' | 'manual';
  /** Context before, as claude reported it. */
  readonly preTokens: number | null;
  /** Context before, as the gauge had predicted it. */
  readonly gaugeBefore: number;
  /** Context of the first call after it. */
  readonly firstAfter: number | null;
}

/** One main-thread call. */
export interface CallSeen {
  readonly messageId: string;
  readonly context: number;
  /** Output tokens, an estimate where the recording holds only a placeholder. */
  readonly output: number;
  /** Its context as predicted before it, null for the first call and after a compaction. */
  readonly predicted: number | null;
}

/** The replay of one or more recordings, as `--json` prints it. */
export interface ReplayReport {
  readonly version: 1;
  readonly sessions: readonly SessionSummary[];
}

/** Share of the window at the highest reading. */
export function peakFraction(gauge: Gauge): number {
  return gauge.window.tokens > 0 ? gauge.peak / gauge.window.tokens : 0;
}

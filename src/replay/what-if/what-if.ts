import type { Policy } from '../../core/governor/policy.ts';
import type { CompactionSeen } from '../items-seen.ts';

/** A policy that was not followed, to be tried on a recording. */
export interface WhatIfPolicy {
  readonly name: string;
  readonly policy: Policy;
  /** Nobody acts but claude itself. */
  readonly none: boolean;
  /** Context of the first call after a compaction, in tokens; undefined: as the recordings show it. */
  readonly landing: number | undefined;
  /** claude's own trigger; undefined: where ctxb puts it, or, where it does not, that of the recording's version. */
  readonly native: NativeSetting | undefined;
}

/** `auto` counts as a summary, which every claude can. */
export function isExact({ none, policy }: WhatIfPolicy): boolean {
  return !none && policy.compaction.how === 'exact';
}

/** claude's own trigger: a number of tokens, where a version of Claude Code has it, or switched off. */
export type NativeSetting = number | string | 'off';

/** What is known of the figures that a simulation has to assume, and from where. Tokens throughout. */
export interface Basis {
  /** Context of the first call after a compaction, without the prompt that begins a turn. */
  readonly landing: Assumed;
  /** Of a summary. */
  readonly summary: Assumed;
  /** What the first call after a compaction still has in the cache: system prompt and tools. */
  readonly prefix: Assumed;
  /** What an exact compaction leaves beside `fresh`; `published`: a usual figure. */
  readonly kept: Assumed;
  /** The smallest context of the session: what is always there. */
  readonly fresh: number;
}

export interface Assumed {
  readonly tokens: number;
  /** Whose compactions it is the median of. */
  readonly from: 'session' | 'replayed' | 'published';
  /** How many there are. */
  readonly of: number;
}

/** Who replaced a context by a smaller one. */
export type ReliefBy = CompactionSeen['by'] | 'handoff';

/** Tokens that were read, in calls of one kind, and what these calls cost at list prices. */
export interface Reading {
  readonly calls: number;
  /** Sum of their contexts. */
  readonly read: number;
  /** Of these, what the cache had. */
  readonly cacheRead: number;
  /** US dollars; null where none of the models has a price. */
  readonly usd: number | null;
}

/** What a session comes to under a policy. */
export interface Figures {
  /** Main-thread calls whose context is above these shares of the window. */
  readonly above: { readonly half: number; readonly seventy: number; readonly eightyFive: number };
  readonly peak: number;
  /** The calls of the main thread. */
  readonly main: Reading;
  /** Calls that write a summary or a document: never in the recording, so estimated, also for what happened. */
  readonly relief: Reading;
  readonly reliefs: Readonly<Record<ReliefBy, number>>;
  /** Results that tool budgets cut, and by how many tokens. */
  readonly cut: { readonly results: number; readonly tokens: number };
}

/** A session under one policy, or as it was. */
export interface WhatIfRun {
  readonly name: string;
  /** claude's own trigger, in tokens; null: it is off, or this is what happened. */
  readonly trigger: number | null;
  readonly figures: Figures;
  /** Context of the last call. */
  readonly last: number;
  /** Number of the call that has the peak, from 1. */
  readonly peakCall: number;
  /** Calls until the context was larger than the window; null: it never was. From there on the figures are of no use. */
  readonly exhaustedAfter: number | null;
  /** Context of each call in order, where the series was asked for. */
  readonly curve?: readonly number[];
}

/** All policies over one session. */
export interface SessionWhatIf {
  readonly actual: WhatIfRun;
  readonly policies: readonly WhatIfRun[];
  readonly best: Best;
  readonly facts: Facts;
  /** What is exact and what is assumed, a sentence each. */
  readonly assumptions: readonly string[];
}

/** What of a session is exact and what is not. */
export interface Facts {
  readonly calls: number;
  /** Calls at which the growth is estimated. */
  readonly estimated: number;
  /** Compactions and handoffs that happened. */
  readonly reliefs: number;
  /** Fresh contexts that the caller began. */
  readonly fresh: number;
  /** Drops without a compaction. */
  readonly drops: number;
  readonly basis: Basis;
  /** A policy compacts exactly: what that leaves is assumed too. */
  readonly exact: boolean;
}

/** All policies over all sessions that have calls. */
export interface WhatIfTotals {
  readonly sessions: number;
  readonly actual: WhatIfTotal;
  readonly policies: readonly WhatIfTotal[];
  readonly best: Best;
  readonly assumptions: readonly string[];
}

export interface WhatIfTotal {
  readonly name: string;
  /** Sums; of peaks the highest. */
  readonly figures: Figures;
  /** Of the sessions' peaks. */
  readonly meanPeak: number;
  /** Sessions whose context was larger than the window. */
  readonly exhausted: number;
}

/** The policies that no other beats, by name, among those under which no context was larger than the window. */
export interface Best {
  /** null: no model has a price, or there is no such policy. */
  readonly cost: string | null;
  /** Over several sessions, by the mean of their peaks. */
  readonly peak: string | null;
}

/** Where calls are not shown one by one. */
export function withoutCurves({ actual, policies, ...rest }: SessionWhatIf): SessionWhatIf {
  return { ...rest, actual: withoutCurve(actual), policies: policies.map(withoutCurve) };
}

export function withoutCurve({ curve: _, ...run }: WhatIfRun): WhatIfRun {
  return run;
}

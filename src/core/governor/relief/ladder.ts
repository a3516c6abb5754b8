import { handoffLevel, inTokens, type Policy } from '../policy.ts';
import type { Latch, Relief } from './relief-state.ts';
import { isThrashing } from './thrash.ts';

/** What has been tried so far: the part of a state on which the choice rests. */
export interface Standing {
  readonly relief: Pick<Relief, 'latch' | 'failures' | 'due' | 'useless' | 'blocked' | 'boundaries' | 'landings'>;
  readonly session: { readonly commandsOff: boolean };
  readonly run: { readonly policy: Policy };
}

/** What is known of the context when the way is chosen, in tokens. */
export interface Extent {
  /** The next request before anything new is said. */
  readonly full: number;
  /** undefined: unknown. */
  readonly window: number | undefined;
  /** The very first call. */
  readonly first: number;
  /** By how much a call makes it grow; 0: nothing is known yet. */
  readonly growth: number;
  /** By how much nine of ten turns make it grow at most; undefined: too few are known. */
  readonly turn?: number | undefined;
  /** When a relief pays; undefined: it is not known, or none does. */
  readonly moment?: Moment | undefined;
  /** A fresh context as full would not help, or `full` is a guess: only what was crossed before counts. */
  readonly provesNothing?: boolean;
  /** A compaction now does not pay, or might cost more than the run may lose: wait for claude's own level. */
  readonly isTooEarly?: boolean;
}

/** From how many tokens on which relief pays: an exact compaction, or a handoff. */
export interface Moment {
  readonly at: number;
  readonly way: Way['way'];
}

/**
 * Why the work is handed over. `due`: compacting has shown that it is not enough. `forecast`: it is the strategy, and
 * the next turn would probably need it in its middle.
 */
export type HandoffCause = 'due' | 'commands off' | 'no other way' | 'thrashing' | 'strategy' | 'forecast';

/** How the context is relieved at the next boundary of a turn; undefined: it is not. */
export type Way = { readonly way: 'compact' } | { readonly way: 'handoff'; readonly cause: HandoffCause };

/** The one choice between compacting and handing over, for a run and for what-if. */
export function chooseWay(standing: Standing, extent: Extent): Way | undefined {
  const paying = payingMoment(standing, extent);
  if (paying !== undefined)
    return paying.way === 'compact' ? { way: 'compact' } : { way: 'handoff', cause: 'strategy' };
  const cause = handoffCause(standing, extent);
  if (cause !== undefined) return { way: 'handoff', cause };
  const { relief, run } = standing;
  if (extent.isTooEarly === true) return undefined;
  const isDue = relief.latch === 'compact' || (relief.latch !== 'spent' && willCross(run.policy, extent));
  return isDue && mayCompact(standing) ? { way: 'compact' } : undefined;
}

/** Below the level of compacting only what pays is done, and nothing else takes its place. */
export function payingMoment(standing: Standing, { moment, full, window }: Extent): Moment | undefined {
  const latest = inTokens(standing.run.policy.thresholds.compact, window);
  if (moment === undefined || full < moment.at || full >= latest || standing.relief.due !== undefined) return undefined;
  return (moment.way === 'compact' ? mayCompact : mayHandOver)(standing) ? moment : undefined;
}

function handoffCause(standing: Standing, extent: Extent): HandoffCause | undefined {
  const { relief, session, run } = standing;
  if (!mayHandOver(standing) || relief.latch === 'spent') return undefined;
  if (relief.due !== undefined) return 'due';
  const isCrossed = relief.latch === 'compact';
  if (isCrossed && session.commandsOff) return 'commands off';
  const isHigh = extent.provesNothing !== true && extent.full >= handoffLevel(run.policy, extent.window);
  if (isHigh && !mayCompact(standing)) return 'no other way';
  if (isCrossed && isThrashing(relief.boundaries)) return 'thrashing';
  if (!isCrossed && !willCross(run.policy, extent)) return undefined;
  if (!prefersHandoff(standing, extent)) return undefined;
  return isCrossed ? 'strategy' : 'forecast';
}

/** What is not even in the zone of warnings is not given up because of one large turn. */
export function willCross(policy: Policy, { full, window, turn, provesNothing }: Extent): boolean {
  if (turn === undefined || provesNothing === true || full < inTokens(policy.thresholds.warn, window)) return false;
  return full + turn >= handoffLevel(policy, window);
}

function prefersHandoff(standing: Standing, extent: Extent): boolean {
  const { strategy } = standing.run.policy;
  if (strategy !== 'auto') return strategy === 'handoff';
  if (extent.moment !== undefined) return extent.moment.way === 'handoff';
  const { compact, handoff } = compareStrategies(standing, extent);
  return handoff < compact;
}

/** Compacting is wanted and has not proved useless. */
export function mayCompact({ relief, session, run }: Standing): boolean {
  const { enabled, maxAttempts } = run.policy.compaction;
  return enabled && !session.commandsOff && !relief.blocked && relief.failures < maxAttempts;
}

/** It is wanted, the last one helped, and no hook of the user's guards the context. */
export function mayHandOver({ relief, run }: Standing): boolean {
  return run.policy.handoff.enabled && !relief.useless && !relief.blocked;
}

/** The latch after a reading of `tokens`: crossing `compact` implies `warn`, falling below the target clears all. */
export function latchAt(latch: Latch, tokens: number, window: number | undefined, policy: Policy): Latch {
  if (tokens >= inTokens(policy.thresholds.compact, window)) return latch === 'spent' ? 'spent' : 'compact';
  if (tokens < inTokens(policy.compaction.target, window)) return 'none';
  return latch === 'none' && tokens >= inTokens(policy.thresholds.warn, window) ? 'warn' : latch;
}

/** The context has fallen below its target: every way is worth trying again. */
export const UNTRIED = { failures: 0, unwritable: false, due: undefined, useless: false, blocked: false } as const;

/** Failures in a row after a compaction of ours whose first call has `tokens`: one that freed too little is one. */
export function failuresAfterLanding({ relief, run }: Standing, tokens: number, window: number | undefined): number {
  return tokens < inTokens(run.policy.thresholds.compact, window) ? 0 : relief.failures + 1;
}

/** Whether what a relief left is above the target, so that more must be done. */
export function missesTarget({ run }: Standing, tokens: number, window: number | undefined): boolean {
  return tokens > inTokens(run.policy.compaction.target, window);
}

const REMEMBERED_LANDINGS = 8;

/** The first call after a compaction has `tokens`. */
export function withLanding(landings: readonly number[], tokens: number): readonly number[] {
  return [...landings, tokens].slice(-REMEMBERED_LANDINGS);
}

/**
 * Until a compaction was seen: the median of what published ones left, and of that what is no system prompt and no
 * tools, in tokens.
 */
const USUAL_LANDING = 50_000;
const USUAL_KEPT = 17_500;

/** A handoff document, and what the agent reads again because of it, in tokens. */
export const DOCUMENT_TOKENS = 6_000;

/** Until the session has turns of its own. Median growth from call to call, in tokens. */
export const USUAL_GROWTH = 617;

/**
 * What either way of relieving the context costs, in tokens that are read: the one reading that makes the summary or
 * the document, and then what it leaves behind at each call until the context is full again.
 */
export function compareStrategies({ relief, run }: Standing, { full, window, first, growth }: Extent) {
  const ceiling = inTokens(run.policy.thresholds.compact, window);
  const landing = landingOf(relief.landings, ceiling, first);
  const fresh = Math.min(first + DOCUMENT_TOKENS, ceiling);
  const perCall = Math.max(1, growth > 0 ? growth : USUAL_GROWTH);
  const calls = Math.max(1, Math.round((ceiling - Math.max(landing, fresh)) / perCall));
  const compact = full + landing * calls;
  const handoff = 2 * full + fresh * calls;
  const seen = relief.landings.length;
  const source = seen === 0 ? 'assumed' : `as ${seen === 1 ? 'one compaction' : `${seen} compactions`} landed`;
  const text = `over ${calls} calls compacting reads ${full} + ${calls} × ${landing} (${source}) = ${compact} tokens, handing over 2 × ${full} + ${calls} × ${fresh} = ${handoff}`;
  return { compact, handoff, text };
}

/**
 * Context of the first call after a compaction, as far as it can be told before it, in tokens.
 *
 * @param first context of the very first call; 0: not known
 */
export function landingOf(landings: readonly number[], ceiling: number, first = 0): number {
  const usual = first > 0 ? first + USUAL_KEPT : USUAL_LANDING;
  const median = landings.toSorted((a, b) => a - b)[Math.floor(landings.length / 2)];
  return median ?? Math.min(usual, Math.round(ceiling / 2));
}

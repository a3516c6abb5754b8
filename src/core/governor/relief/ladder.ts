import { handoffLevel, inTokens, type Policy } from '../policy.ts';
import type { GovernorState } from '../state.ts';
import type { Latch } from './relief-state.ts';
import { isThrashing } from './thrash.ts';

/** The part of a state that the choice depends on: earlier attempts and the policy. */
type Standing = Pick<GovernorState, 'relief' | 'session' | 'run'>;

/** Size and growth of the context at the choice, in tokens. */
export interface Extent {
  /** Size of the next request without new input. */
  readonly full: number;
  /** undefined if unknown. */
  readonly window: number | undefined;
  /** Growth that nine of ten turns do not exceed; undefined if too few turns are known. */
  readonly turn: number | undefined;
  /** When a relief pays; undefined if unknown or never. */
  readonly moment: Moment | undefined;
  /** Only thresholds crossed earlier count: a fresh context would be as full, or `full` is a guess. */
  readonly provesNothing: boolean;
  /** Waits for claude's own level: a compaction now does not pay, or may cost more than the run may lose. */
  readonly isTooEarly: boolean;
}

/** The size in tokens from which a relief pays, and its way: an exact compaction or a handoff. */
export interface Moment {
  readonly at: number;
  readonly way: Way['way'];
}

/**
 * Why the work is handed over. `due`: compacting has proved insufficient. `forecast`: the strategy is to hand over, and
 * the next turn would probably need it before its end.
 */
export type HandoffCause = 'due' | 'commands off' | 'no other way' | 'thrashing' | 'strategy' | 'forecast';

/** How to relieve the context between two turns. */
export type Way = { readonly way: 'compact' } | { readonly way: 'handoff'; readonly cause: HandoffCause };

/** Chooses between compacting and handing over, for a run and for what-if; undefined for no relief. */
export function chooseWay(standing: Standing, extent: Extent): Way | undefined {
  const paying = payingMoment(standing, extent);
  if (paying !== undefined)
    return paying.way === 'compact' ? { way: 'compact' } : { way: 'handoff', cause: 'strategy' };
  const cause = handoffCause(standing, extent);
  if (cause !== undefined) return { way: 'handoff', cause };
  const { relief, run } = standing;
  if (extent.isTooEarly) return undefined;
  const isDue = relief.latch === 'compact' || (relief.latch !== 'spent' && willCross(run.policy, extent));
  return isDue && mayCompact(standing) ? { way: 'compact' } : undefined;
}

/**
 * The relief that pays now, below the level of compacting; undefined if its way is impossible, because no other way
 * replaces it.
 */
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
  const isHigh = !extent.provesNothing && extent.full >= handoffLevel(run.policy, extent.window);
  if (isHigh && !mayCompact(standing)) return 'no other way';
  if (isCrossed && isThrashing(relief.boundaries)) return 'thrashing';
  if (!isCrossed && !willCross(run.policy, extent)) return undefined;
  if (run.policy.strategy !== 'handoff') return undefined;
  return isCrossed ? 'strategy' : 'forecast';
}

/**
 * Whether the next turn will probably cross the handoff level. Below the warning threshold one large turn is no reason.
 */
export function willCross(policy: Policy, { full, window, turn, provesNothing }: Extent): boolean {
  if (turn === undefined || provesNothing || full < inTokens(policy.thresholds.warn, window)) return false;
  return full + turn >= handoffLevel(policy, window);
}

/** Whether compacting is enabled, possible, and has not proved useless. */
export function mayCompact({ relief, session, run }: Standing): boolean {
  const { enabled, maxAttempts } = run.policy.compaction;
  return enabled && !session.commandsOff && !relief.blocked && relief.failures < maxAttempts;
}

/** Whether handing over is enabled, the last handoff helped, and no user hook guards the context. */
export function mayHandOver({ relief, run }: Standing): boolean {
  return run.policy.handoff.enabled && !relief.useless && !relief.blocked;
}

/** The latch after a reading of `tokens`: crossing `compact` implies `warn`, falling below the target clears all. */
export function latchAt(latch: Latch, tokens: number, window: number | undefined, policy: Policy): Latch {
  if (tokens >= inTokens(policy.thresholds.compact, window)) return latch === 'spent' ? 'spent' : 'compact';
  if (tokens < inTokens(policy.compaction.target, window)) return 'none';
  return latch === 'none' && tokens >= inTokens(policy.thresholds.warn, window) ? 'warn' : latch;
}

/** Reset when the context has fallen below its target: every way is worth trying again. */
export const UNTRIED = { failures: 0, unwritable: false, due: undefined, useless: false, blocked: false } as const;

/** The median context after published compactions, in tokens; assumed until a compaction has been seen. */
const USUAL_LANDING = 50_000;

/** Tokens of a handoff document and of the files that the agent reads again because of it. */
export const DOCUMENT_TOKENS = 6_000;

/** Median growth per call, in tokens; assumed until the session has turns of its own. */
export const USUAL_GROWTH = 617;

/** Expected context of the first call after a compaction, in tokens. */
export function landingOf(landings: readonly number[], ceiling: number): number {
  const median = landings.toSorted((a, b) => a - b)[Math.floor(landings.length / 2)];
  return median ?? Math.min(USUAL_LANDING, Math.round(ceiling / 2));
}

import { handoffLevel, inTokens, type Policy } from '../policy.ts';
import type { GovernorState } from '../state.ts';
import type { Latch, Relief } from './relief-state.ts';
import { isThrashing } from './thrash.ts';

/** Size and growth of the context, in tokens. */
export interface ContextExtent {
  /** Size of the next request without new input. */
  readonly full: number;
  /** undefined if unknown. */
  readonly window: number | undefined;
  /** Growth that nine of ten turns do not exceed; undefined after too few turns. */
  readonly turnGrowth: number | undefined;
  /** When a relief pays; undefined if unknown or never. */
  readonly moment: ReliefMoment | undefined;
  /**
   * Whether `full` may be wrong, or the context is fresh after a handoff. Then only thresholds that were crossed
   * earlier count.
   */
  readonly isUnreliable: boolean;
  /** Whether a compaction must wait for claude's own level, because it does not pay yet or risks too much. */
  readonly isTooEarly: boolean;
}

/** The size from which a relief pays, in tokens, and the kind of relief. */
export interface ReliefMoment {
  readonly at: number;
  readonly way: ReliefWay['way'];
}

/**
 * Why ctxb hands the work over. `due`: a compaction was not enough. `forecast`: the strategy is to hand over, and the
 * next turn would probably cross the level.
 */
export type HandoffCause = 'due' | 'commands off' | 'no other way' | 'thrashing' | 'strategy' | 'forecast';

/** A relief between two turns. */
export type ReliefWay = { readonly way: 'compact' } | { readonly way: 'handoff'; readonly cause: HandoffCause };

/** Chooses the relief between two turns, for a run and for what-if; undefined for no relief. */
export function chooseRelief(state: GovernorState, extent: ContextExtent): ReliefWay | undefined {
  const paying = payingMoment(state, extent);
  if (paying !== undefined)
    return paying.way === 'compact' ? { way: 'compact' } : { way: 'handoff', cause: 'strategy' };
  const cause = handoffCause(state, extent);
  if (cause !== undefined) return { way: 'handoff', cause };
  const { relief, run } = state;
  if (extent.isTooEarly) return undefined;
  const isDue = relief.latch === 'compact' || (relief.latch !== 'spent' && willCross(run.policy, extent));
  return isDue && mayCompact(state) ? { way: 'compact' } : undefined;
}

/**
 * The moment of a relief that pays now, below the level for compacting. Undefined if that kind of relief is impossible.
 */
export function payingMoment(state: GovernorState, { moment, full, window }: ContextExtent): ReliefMoment | undefined {
  const latest = inTokens(state.run.policy.thresholds.compact, window);
  if (moment === undefined || full < moment.at || full >= latest || state.relief.due !== undefined) return undefined;
  return (moment.way === 'compact' ? mayCompact : mayHandOver)(state) ? moment : undefined;
}

function handoffCause(state: GovernorState, extent: ContextExtent): HandoffCause | undefined {
  const { relief, session, run } = state;
  if (!mayHandOver(state) || relief.latch === 'spent') return undefined;
  if (relief.due !== undefined) return 'due';
  const isCrossed = relief.latch === 'compact';
  if (isCrossed && session.commandsOff) return 'commands off';
  const isHigh = !extent.isUnreliable && extent.full >= handoffLevel(run.policy, extent.window);
  if (isHigh && !mayCompact(state)) return 'no other way';
  if (isCrossed && isThrashing(relief.boundaries)) return 'thrashing';
  if (!isCrossed && !willCross(run.policy, extent)) return undefined;
  if (run.policy.strategy !== 'handoff') return undefined;
  return isCrossed ? 'strategy' : 'forecast';
}

/**
 * Whether the next turn will probably cross the handoff level. Below the warning threshold, one large turn does not
 * count.
 */
export function willCross(policy: Policy, { full, window, turnGrowth, isUnreliable }: ContextExtent): boolean {
  if (turnGrowth === undefined || isUnreliable || full < inTokens(policy.thresholds.warn, window)) return false;
  return full + turnGrowth >= handoffLevel(policy, window);
}

/** Whether compacting is enabled, possible, and not failed too often. */
export function mayCompact({ relief, session, run }: GovernorState): boolean {
  const { enabled, maxAttempts } = run.policy.compaction;
  return enabled && !session.commandsOff && !relief.isBlocked && relief.failures < maxAttempts;
}

/** Whether handing over is enabled, the last handoff helped, and no hook of the user forbids it. */
export function mayHandOver({ relief, run }: GovernorState): boolean {
  return run.policy.handoff.enabled && !relief.isHandoffUseless && !relief.isBlocked;
}

/**
 * The latch at a context of `tokens`: crossing `compact` implies `warn`, and a context below the target clears both.
 */
export function latchAfter(latch: Latch, tokens: number, window: number | undefined, policy: Policy): Latch {
  if (tokens >= inTokens(policy.thresholds.compact, window)) return latch === 'spent' ? 'spent' : 'compact';
  if (tokens < inTokens(policy.compaction.target, window)) return 'none';
  return latch === 'none' && tokens >= inTokens(policy.thresholds.warn, window) ? 'warn' : latch;
}

/** Reset when the context falls below its target, so that ctxb tries every relief again. */
export const UNTRIED = {
  failures: 0,
  isUnwritable: false,
  due: undefined,
  isHandoffUseless: false,
  isBlocked: false,
} as const satisfies Partial<Relief>;

/** Assumed size after a compaction until the session has one: the median of published compactions, in tokens. */
const USUAL_SIZE_AFTER = 50_000;

/** Tokens of a handoff document and of the files that it makes the agent read again. */
export const DOCUMENT_TOKENS = 6_000;

/** Assumed growth per call until the session has turns: the median of published sessions, in tokens. */
export const USUAL_GROWTH = 617;

/** Expected size of the first call after a compaction, in tokens. */
export function expectedSizeAfter(sizesAfter: readonly number[], ceiling: number): number {
  const median = sizesAfter.toSorted((a, b) => a - b)[Math.floor(sizesAfter.length / 2)];
  return median ?? Math.min(USUAL_SIZE_AFTER, Math.round(ceiling / 2));
}

import type { ResultEvent } from '../../protocol/events.ts';
import { sendInterrupt } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, decided, emit, type Line } from '../steps.ts';
import { exactIsPossible } from './exact.ts';
import type { Boundary, Relief } from './relief-state.ts';
import { refilledByText, type Tools } from './tool-results.ts';

/**
 * Signs of thrashing: this number of compactions within `turns`, or within one turn, each at most `calls` after the
 * previous one.
 */
const THRASH = { compactions: 3, turns: 5, calls: 10 };

/**
 * Maximum calls between two exact compactions that count, which must be in the same turn: an exact compaction costs no
 * call.
 */
const EXACT_CALLS = 3;

export function isThrashing(boundaries: readonly Boundary[]): boolean {
  const first = boundaries.at(-THRASH.compactions);
  const last = boundaries.at(-1);
  return last !== undefined && first !== undefined && last.turn - first.turn < THRASH.turns;
}

export function thrashText({ work: { tools } }: GovernorState): string {
  return `${THRASH.compactions} compactions within ${THRASH.turns} turns${filledBy(tools)}`;
}

export function withBoundary({ boundaries, refilled }: Relief, at: Boundary, isExact = false) {
  const last = boundaries.at(-1);
  const calls = isExact ? EXACT_CALLS : THRASH.calls;
  const isSoon = last !== undefined && last.turn === at.turn && at.call - last.call <= calls;
  if (isExact && !isSoon) return { boundaries: [at], refilled: 1 };
  return { boundaries: [...boundaries, at].slice(-THRASH.compactions), refilled: isSoon ? refilled + 1 : 1 };
}

/** Maximum number of compactions in a row in one turn, each refilled within a few calls; then the turn ends. */
const MAX_REFILLS = 5;

/** Announces within a turn what fills the window repeatedly, and finally ends the turn. */
export function limitThrash(state: GovernorState, { before }: Line): GovernorState {
  const { turn, facts } = state;
  if (facts.isInjected || turn.phase !== 'running') return state;
  const compactions = state.relief.refilled;
  const last = compactions >= MAX_REFILLS && mayEnd(state);
  if (compactions !== THRASH.compactions && !last) return state;
  const reason = `${compactions} compactions in one turn, each within ${THRASH.calls} calls of the one before${filledBy(before.work.tools)}`;
  const thrash = decided(state, 'thrash', reason, { compactions, last });
  if (!last) return emit(state, thrash);
  return sendInterrupt(emit(changedIn(state, 'relief', { hopeless: reason }), thrash));
}

/** Whether claude ended the turn because its window was filled again at once. */
export function tellsBreaker({ isError, terminalReason }: ResultEvent): boolean {
  return isError && terminalReason === 'rapid_refill_breaker';
}

/**
 * Gives up if claude itself has ended the turn, as it does when a window fills again within three calls three times.
 */
export function readBreaker(state: GovernorState, event: ResultEvent): GovernorState {
  if (!tellsBreaker(event) || !mayEnd(state) || exactIsPossible(state)) return state;
  const reason = `claude has ended the turn, because its window was filled again at once${filledBy(state.work.tools)}`;
  return changedIn(state, 'relief', { hopeless: reason });
}

/** Whether ctxb may act on a full window. */
function mayEnd({ run }: GovernorState): boolean {
  const { compaction, handoff } = run.policy;
  return run.mode === 'act' && (compaction.enabled || handoff.enabled);
}

function filledBy(tools: Tools): string {
  const text = refilledByText(tools);
  return text === '' ? '' : `, filled again by ${text}`;
}

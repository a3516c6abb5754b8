import type { Event, ResultEvent } from '../../stream/events.ts';
import { sendInterrupt } from '../control/control-request.ts';
import { decided, type GovernorState } from '../state.ts';
import { chain, keep, type Step } from '../steps.ts';
import { type Refill, refillText } from './refill.ts';
import type { Boundary, Relief } from './relief-state.ts';

/** Compactions whose room was soon filled again: within so many turns, or, in one turn, within so many calls each. */
const THRASH = { compactions: 3, turns: 5, calls: 10 };

/** @param turns that had ended at each compaction */
export function isThrashing(turns: readonly number[]): boolean {
  const [first] = turns.slice(-THRASH.compactions);
  const last = turns.at(-1);
  if (turns.length < THRASH.compactions || first === undefined || last === undefined) return false;
  return last - first < THRASH.turns;
}

export function thrashText({ refill }: GovernorState): string {
  return `${THRASH.compactions} compactions within ${THRASH.turns} turns${filledBy(refill)}`;
}

/** What is known of compactions after another one. */
export function withBoundary({ boundaries, refilled }: Relief, at: Boundary): Pick<Relief, 'boundaries' | 'refilled'> {
  const last = boundaries.at(-1);
  const isSoon = last !== undefined && last.turn === at.turn && at.call - last.call <= THRASH.calls;
  return { boundaries: [...boundaries, at].slice(-THRASH.compactions), refilled: isSoon ? refilled + 1 : 1 };
}

/** In the middle of a turn it is said what fills the window again and again, and at last the turn is ended. */
export function brakeThrash(before: GovernorState, state: GovernorState, event: Event): Step {
  if (event.kind !== 'boundary' || state.turn.phase !== 'running' || state.run.mode === 'replay') return keep(state);
  const { maxCompactions } = state.run.policy.midTurn;
  const compactions = state.relief.refilled;
  const last = compactions >= maxCompactions && mayEnd(state);
  if (compactions !== THRASH.compactions && !last) return keep(state);
  const reason = `${compactions} compactions in one turn, each within ${THRASH.calls} calls of the one before${filledBy(before.refill)}`;
  const thrash = { kind: 'thrash', ...decided(state, reason), compactions, last } as const;
  if (!last) return keep(state, [thrash]);
  return chain(keep({ ...state, relief: { ...state.relief, hopeless: reason } }, [thrash]), sendInterrupt);
}

/** claude itself ends a turn whose window was filled again within three calls three times. */
export function readBreaker(state: GovernorState, event: ResultEvent): GovernorState {
  if (!event.isError || event.terminalReason !== 'rapid_refill_breaker' || !mayEnd(state)) return state;
  const reason = `claude has ended the turn, because its window was filled again at once${filledBy(state.refill)}`;
  return { ...state, relief: { ...state.relief, hopeless: reason } };
}

/** Whether ctxb is to do anything about a full window. */
function mayEnd({ run }: GovernorState): boolean {
  const { compaction, handoff } = run.policy;
  return run.mode === 'act' && (compaction.enabled || handoff.enabled);
}

function filledBy(refill: Refill): string {
  const text = refillText(refill);
  return text === '' ? '' : `, filled again by ${text}`;
}

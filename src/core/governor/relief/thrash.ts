import type { ResultEvent } from '../../protocol/events.ts';
import { prefixOf } from '../gauge/gauge.ts';
import { inTokens } from '../policy.ts';
import { sendInterrupt } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, decisionOf, emit, type Line } from '../steps.ts';
import { isExactPossible } from './exact.ts';
import type { Boundary, Relief } from './relief-state.ts';
import { largestResultsText, type Tools } from './tool-results.ts';

/**
 * Thrashing: this number of compactions within `turns`, or within one turn, each at most `calls` after the previous
 * one.
 */
const THRASH = { compactions: 3, turns: 5, calls: 10 };

/** Like `THRASH.calls`, for exact compactions in one turn. Fewer, because they cost no call. */
const EXACT_CALLS = 3;

export function isThrashing(boundaries: readonly Boundary[]): boolean {
  const first = boundaries.at(-THRASH.compactions);
  const last = boundaries.at(-1);
  return last !== undefined && first !== undefined && last.turn - first.turn < THRASH.turns;
}

export function thrashText({ work: { tools } }: GovernorState): string {
  return `${THRASH.compactions} compactions within ${THRASH.turns} turns${filledBy(tools)}`;
}

export function withBoundary({ boundaries, refills }: Relief, at: Boundary, isExact = false) {
  const last = boundaries.at(-1);
  const calls = isExact ? EXACT_CALLS : THRASH.calls;
  const isSoon = last !== undefined && last.turn === at.turn && at.call - last.call <= calls;
  if (isExact && !isSoon) return { boundaries: [at], refills: 1 };
  return { boundaries: [...boundaries, at].slice(-THRASH.compactions), refills: isSoon ? refills + 1 : 1 };
}

/** Maximum compactions in a row in one turn, each filled again within a few calls. Then ctxb ends the turn. */
const MAX_REFILLS = 5;

/** Announces that the window fills repeatedly within a turn, and which results fill it. Finally ends the turn. */
export function limitThrash(state: GovernorState, { before }: Line): GovernorState {
  const { turn, facts } = state;
  if (facts.isInjected || turn.phase !== 'running') return state;
  const compactions = state.relief.refills;
  const last = compactions >= MAX_REFILLS && canEndTurn(state);
  if (compactions !== THRASH.compactions && !last) return state;
  const reason = `${compactions} compactions in one turn, each within ${THRASH.calls} calls of the one before${filledBy(before.work.tools)}`;
  const thrash = decisionOf(state, 'thrash', reason, { compactions, last });
  if (!last) return emit(state, thrash);
  return sendInterrupt(emit(changedIn(state, 'relief', { giveUpReason: reason }), thrash));
}

/** Whether claude ended the turn because its window filled again at once. */
export function isRefillBreaker({ isError, terminalReason }: ResultEvent): boolean {
  return isError && terminalReason === 'rapid_refill_breaker';
}

/**
 * Whether an exact compaction, which costs no call, can help after claude's own breaker. Nothing helps if the system prompt
 * and the tools alone are too large.
 */
export function canRelieveAfterBreaker(state: GovernorState): boolean {
  const { gauge, run } = state;
  return isExactPossible(state) && prefixOf(gauge) < inTokens(run.policy.thresholds.compact, gauge.window.tokens);
}

/**
 * Gives up after claude's own breaker has ended the turn, because the window was filled again at once three times in a
 * row.
 */
export function giveUpAfterBreaker(state: GovernorState, event: ResultEvent): GovernorState {
  if (!isRefillBreaker(event) || !canEndTurn(state) || canRelieveAfterBreaker(state)) return state;
  const reason = `claude has ended the turn, because its window was filled again at once${filledBy(state.work.tools)}`;
  return changedIn(state, 'relief', { giveUpReason: reason });
}

/** Whether ctxb may end a turn because of a full window. */
function canEndTurn({ run }: GovernorState): boolean {
  const { compaction, handoff } = run.policy;
  return run.mode === 'act' && (compaction.enabled || handoff.enabled);
}

function filledBy(tools: Tools): string {
  const text = largestResultsText(tools);
  return text === '' ? '' : `, filled again by ${text}`;
}

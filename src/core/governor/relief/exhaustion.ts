import type { Event, ResultEvent } from '../../protocol/events.ts';
import { isExhaustion, refusedSize } from '../../protocol/failures.ts';
import { reportsInterrupt } from '../facts.ts';
import { estimateTokens, measureContent } from '../gauge/estimator.ts';
import { predictedTokens } from '../gauge/gauge.ts';
import { windowIn } from '../gauge/window.ts';
import { handoffLevel, inTokens } from '../policy.ts';
import { answerWithDeferredEnd, callerRequests, unansweredPrompts } from '../prompts/mailbox.ts';
import type { GovernorState } from '../state.ts';
import {
  changedAnswer,
  changedIn,
  decide,
  isCompacting,
  isHandingOver,
  isRelieving,
  isWithinLimit,
  type Line,
} from '../steps.ts';
import { isAtClaudesLevel } from './accounts.ts';
import { isExactPossible } from './exact.ts';
import { chooseRelief, mayCompact, payingMoment } from './ladder.ts';
import { extentOf, reliefReason } from './relief-moment.ts';
import type { DueRelief, ExhaustedTurn } from './relief-state.ts';
import { canRelieveAfterBreaker, giveUpAfterBreaker, isRefillBreaker } from './thrash.ts';

/** Whether a relief can make room for a refused turn. Then the caller does not see the error. */
export function canRelieveExhausted(state: GovernorState): boolean {
  const { run, relief } = state;
  if (run.mode !== 'act' || relief.isBlocked || isOnlyTurn(state)) return false;
  return mayHandOverAgain(state) || (run.policy.compaction.enabled && attemptsSoFar(state) === 'nothing');
}

/**
 * Whether the context contains nothing but the refused turn, so that no relief can shorten it: the first turn, or the
 * first after a handoff.
 */
function isOnlyTurn({ run, turn, relief }: GovernorState): boolean {
  return turn.calls === 0 && (isHandedOver(relief) || (turn.ended === 0 && !run.resumes));
}

/** Whether the turn continues after a handoff, and the fresh context has not answered yet. */
function isHandedOver({ unmeasured, exhausted }: GovernorState['relief']): boolean {
  return unmeasured?.kind === 'handoff' && (exhausted?.handoffs ?? 0) > 0;
}

/** Whether the number of handoffs allows one more after a handoff that did not help. */
function mayHandOverAgain({ run, relief }: GovernorState): boolean {
  const { handoff, recovery } = run.policy;
  return handoff.enabled && (relief.exhausted?.handoffs ?? 0) < Math.max(1, recovery.maxRestarts);
}

/** The reliefs tried for the turn. An exact compaction costs no call, so ctxb may try it once more. */
function attemptsSoFar(state: GovernorState): ExhaustedTurn['tried'] {
  const mayHelp = isExactPossible(state) && state.turn.calls > 0;
  return mayHelp ? 'nothing' : (state.relief.exhausted?.tried ?? 'nothing');
}

/**
 * Whether the turn ended because the context was too full. After claude's own breaker, only an exact compaction helps.
 */
export function isContextExhausted(state: GovernorState, event: ResultEvent): boolean {
  return isExhaustion(event) || (isRefillBreaker(event) && canRelieveAfterBreaker(state));
}

/** Records whether the turn ended because the context was too full. */
export function detectExhaustion(ended: GovernorState, { before, event }: Line<ResultEvent>): GovernorState {
  const state = giveUpAfterBreaker(withoutBaseline(ended, event), event);
  const { exhausted, isBlocked } = state.relief;
  const { compaction, handoff } = state.run.policy;
  if ((!compaction.enabled && !handoff.enabled) || isBlocked) return state;
  if (!isContextExhausted(state, event) && exhausted?.isUnrelieved)
    return handleTurnBetween(before, state, exhausted, event);
  if (!isContextExhausted(state, event)) return changedIn(state, 'relief', { exhausted: undefined });
  const giveUpReason = isOnlyTurn(before) ? promptTooLong(before, event) : undefined;
  // The caller gets claude's own answer, because another prompt may fit.
  if (giveUpReason !== undefined && !isHandedOver(before.relief)) return decide(state, 'exhausted', giveUpReason);
  const tried = attemptsSoFar(before);
  const handoffs = exhausted?.handoffs ?? 0;
  const full = changedIn(state, 'relief', {
    exhausted: { cause: 'refused', tried, handoffs, isUnrelieved: true },
    giveUpReason,
  });
  const reason = isRefillBreaker(event) ? 'the window was filled again at once' : TOO_LONG;
  return decide(full, 'exhausted', reason);
}

/**
 * Marks the costs as not comparable: after such a result, claude alone does less work. claude's breaker does not show
 * that if ctxb has lowered the trigger.
 */
function withoutBaseline(state: GovernorState, event: ResultEvent): GovernorState {
  if (!isExhaustion(event) && !(isRefillBreaker(event) && isAtClaudesLevel(state))) return state;
  return changedIn(state, 'relief', { baseline: { ...state.relief.baseline, gaveUp: true } });
}

/**
 * Handles a turn between the refused one and the relief. Such a turn answers prompts that claude had not read, or
 * claude started it.
 */
function handleTurnBetween(
  before: GovernorState,
  state: GovernorState,
  exhausted: ExhaustedTurn,
  event: ResultEvent,
): GovernorState {
  // This turn does not answer the work that resumes after the relief.
  if (isRelieving(state)) return state;
  // The caller stopped this turn, so it does not want the earlier work either.
  if (isStoppedFromOutside(before, event)) return giveUpRelief(state);
  if (event.isError || exhausted.cause === 'stopped') return state;
  const resumeReason = 'The context was full in the middle of earlier work, and has room again.';
  return changedIn(changedIn(state, 'relief', { exhausted: undefined }), 'mailbox', { resumeReason });
}

function isStoppedFromOutside({ turn }: GovernorState, event: ResultEvent): boolean {
  return reportsInterrupt(event) && (turn.stopped ?? 'asked') === 'asked';
}

export const TOO_LONG = 'the prompt is too long for the context';

function promptTooLong(state: GovernorState, { text = '' }: ResultEvent): string {
  const { gauge, session } = state;
  const sizes = refusedSize(text);
  const blocks = callerRequests(state, unansweredPrompts(state)).flatMap(({ event }) => event.blocks);
  const estimate = () => `it has about ${estimateTokens(measureContent(blocks), gauge.calibration)} tokens (estimated)`;
  const size = sizes === undefined ? estimate() : `the request has ${sizes.tokens} tokens`;
  const window = sizes?.limit ?? gauge.window.tokens ?? windowIn(session.version, session.model, true);
  const fits = window === undefined ? '' : `, the window ${window}`;
  return `${TOO_LONG}, which holds nothing else: ${size}${fits}; put long content into a file and name it in the prompt`;
}

export function dueForExhausted(state: GovernorState, { tried }: ExhaustedTurn): DueRelief | undefined {
  if (state.run.mode !== 'act') return undefined;
  // A compaction that hangs prevents a second one.
  const canCompact = !isCompacting(state) && mayCompact(state);
  if (tried === 'nothing' && canCompact) return { way: 'compact' };
  // After a crash, ctxb repeats the interrupted handoff.
  const { due } = state.relief;
  if ((due !== undefined && state.run.policy.handoff.enabled) || mayHandOverAgain(state))
    return { way: 'handoff', reason: due ?? TOO_LONG };
  return { way: 'none', reason: 'nothing has relieved the context' };
}

export function countHandoffAttempt(state: GovernorState): GovernorState {
  const { exhausted } = state.relief;
  if (exhausted === undefined) return state;
  return changedIn(state, 'relief', { exhausted: { ...exhausted, handoffs: exhausted.handoffs + 1 } });
}

/** Gives up the relief. The caller gets claude's own answer. */
export function giveUpRelief(state: GovernorState): GovernorState {
  if (!state.relief.exhausted?.isUnrelieved) return state;
  // The turn is over, so an earlier interrupt does not stop the next prompt.
  const cleared = changedIn(changedIn(state, 'relief', { exhausted: undefined }), 'mailbox', { stopNext: false });
  return answerWithDeferredEnd(cleared);
}

/** Resumes the refused turn after a relief. */
export function resumeAfterRelief(before: GovernorState, state: GovernorState): GovernorState {
  const { exhausted } = state.relief;
  const [wasBusy, isBusy] = [before, state].map((one) => isCompacting(one) || isHandingOver(one));
  if (!exhausted?.isUnrelieved || !wasBusy || isBusy || state.process.phase === 'dead') return state;
  const tried = { ...exhausted, tried: 'compaction' } as const;
  const { unmeasured } = state.relief;
  const succeeded = unmeasured?.kind === 'compaction';
  if (!succeeded && state.relief.lastHandoff === before.relief.lastHandoff)
    return changedIn(state, 'relief', { exhausted: tried });
  const isExact = unmeasured?.receipt !== undefined;
  const because = `The context was full in the middle of the work. ${isExact ? 'Older steps are shown above, one line each' : 'The summary above replaced it'}.`;
  const relieved = changedIn(state, 'relief', { exhausted: { ...tried, isUnrelieved: false } });
  return changedIn(relieved, 'mailbox', { resumeReason: state.mailbox.resumeReason ?? because });
}

/**
 * Ends a turn after a tool if the strategy is to hand over, and the context is full before the turn ends. All parallel
 * tools finish, and the work continues in a fresh context.
 *
 * @param requestId the request of the hook after the tool
 */
export function stopTurnForHandoff(state: GovernorState, requestId: string): GovernorState {
  if (!mustStopTurn(state)) return state;
  const reason = `${reliefReason(state)}, in the middle of a turn`;
  const stopping = changedIn(state, 'relief', { turnStop: { call: state.gauge.calls, reason } });
  return changedAnswer(stopping, requestId, () => ({ output: STOP }));
}

/** claude accepts this output from every kind of hook. */
const STOP = { continue: false, stopReason: 'ctxb hands the work over to a fresh context' };

function mustStopTurn(state: GovernorState): boolean {
  const { run, turn, relief, gauge, mailbox, work } = state;
  const isOurs = run.mode === 'act' && run.policy.midTurn.enabled && mailbox.input === 'open' && isWithinLimit(state);
  if (!isOurs || turn.phase !== 'running' || turn.startedBy !== 'prompt' || isRelieving(state)) return false;
  // claude counts the calls of a resumed turn from zero.
  if (run.hasMaxTurns || relief.turnStop !== undefined || relief.postponedAt === gauge.calls) return false;
  if (work.tasks.some(({ phase }) => phase === 'foreground')) return false;
  const extent = extentOf(state);
  const chosen = chooseRelief(state, extent);
  if (chosen?.way !== 'handoff' || chosen.cause !== 'strategy') return false;
  const { thresholds, compaction } = run.policy;
  const window = gauge.window.tokens;
  const latest =
    compaction.moment === 'economic' ? handoffLevel(run.policy, window) : inTokens(thresholds.compact, window);
  return predictedTokens(gauge) >= (payingMoment(state, extent)?.at ?? latest);
}

/**
 * Whether a line is the result of a turn that ctxb stopped. claude reports success without a text, so the caller must
 * not get this result.
 */
export function isStoppedTurn({ relief, gauge }: GovernorState, event: Event): boolean {
  return event.kind === 'result' && event.terminalReason === 'hook_stopped' && relief.turnStop?.call === gauge.calls;
}

/** Requests the handoff after ctxb has stopped the turn. */
export function handleTurnStop(state: GovernorState, { before, event }: Line<ResultEvent>): GovernorState {
  const { turnStop } = state.relief;
  if (turnStop?.call !== state.gauge.calls) return state;
  if (!isStoppedTurn(before, event)) return changedIn(state, 'relief', { turnStop: undefined });
  const exhausted = { cause: 'stopped', tried: 'compaction', handoffs: 0, isUnrelieved: true } as const;
  return changedIn(state, 'relief', { turnStop: undefined, due: turnStop.reason, exhausted });
}

/** Continues a stopped turn in the same context, because a handoff is not possible now. */
export function continueStopped(state: GovernorState): GovernorState {
  const { exhausted } = state.relief;
  if (exhausted?.cause !== 'stopped' || !exhausted.isUnrelieved) return state;
  const resumeReason = 'The turn was stopped so that the work could be handed over, which is not possible now.';
  return changedIn(changedIn(state, 'relief', { exhausted: undefined }), 'mailbox', { resumeReason });
}

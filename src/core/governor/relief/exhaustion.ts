import type { Event, ResultEvent } from '../../protocol/events.ts';
import { isExhaustion, refusedSize } from '../../protocol/failures.ts';
import { tellsInterrupt } from '../facts.ts';
import { estimateTokens, measureContent } from '../gauge/estimator.ts';
import { predictedTokens } from '../gauge/gauge.ts';
import { windowIn } from '../gauge/window.ts';
import { handoffLevel, inTokens } from '../policy.ts';
import { answerWithDeferredEnd, requestsOf, unansweredPrompts } from '../prompts/mailbox.ts';
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
import { exactIsPossible } from './exact.ts';
import { chooseWay, mayCompact, payingMoment } from './ladder.ts';
import { dueReason, extentOf } from './outlook.ts';
import type { Due, Exhausted } from './relief-state.ts';
import { readBreaker, tellsBreaker } from './thrash.ts';

/** Whether ctxb can relieve the context, so that the caller does not see the error. */
export function mayRelieve(state: GovernorState): boolean {
  const { run, relief } = state;
  if (run.mode !== 'act' || relief.blocked || isAlone(state)) return false;
  return mayHandOverAgain(state) || (run.policy.compaction.enabled && attemptsSoFar(state) === 'nothing');
}

/**
 * Whether the refused turn is alone in the context, as the first turn of a conversation or after a handoff: no relief
 * can shorten it.
 */
function isAlone({ run, turn, relief }: GovernorState): boolean {
  return turn.calls === 0 && (isHandedOver(relief) || (turn.ended === 0 && !run.resumes));
}

/** Whether the turn continues in a fresh context that has not answered yet. */
function isHandedOver({ landing, exhausted }: GovernorState['relief']): boolean {
  return landing?.of === 'handoff' && (exhausted?.handoffs ?? 0) > 0;
}

/** Whether another handoff may follow one that did not help; their number is limited. */
function mayHandOverAgain({ run, relief }: GovernorState): boolean {
  const { handoff, recovery } = run.policy;
  return handoff.enabled && (relief.exhausted?.handoffs ?? 0) < Math.max(1, recovery.maxRestarts);
}

/** The attempts for the ended turn. An exact compaction costs no call, so it may be tried once more. */
function attemptsSoFar(state: GovernorState): Exhausted['tried'] {
  const mayHelp = exactIsPossible(state) && state.turn.calls > 0;
  return mayHelp ? 'nothing' : (state.relief.exhausted?.tried ?? 'nothing');
}

/** Whether the context was too full for the turn. An exact compaction also helps after claude's own brake. */
export function hasRunOut(state: GovernorState, event: ResultEvent): boolean {
  return isExhaustion(event) || (tellsBreaker(event) && exactIsPossible(state));
}

/** Records at the end of a turn whether the context was too full for it. */
export function readExhaustion(ended: GovernorState, { before, event }: Line<ResultEvent>): GovernorState {
  const state = readBreaker(ended, event);
  const { exhausted, blocked } = state.relief;
  const { compaction, handoff } = state.run.policy;
  if ((!compaction.enabled && !handoff.enabled) || blocked) return state;
  if (!hasRunOut(state, event) && exhausted?.open) return readAnother(before, state, exhausted, event);
  if (!hasRunOut(state, event)) return changedIn(state, 'relief', { exhausted: undefined });
  const hopeless = isAlone(before) ? promptTooLong(before, event) : undefined;
  // The caller gets claude's own answer, because another prompt may fit.
  if (hopeless !== undefined && !isHandedOver(before.relief)) return decide(state, 'exhausted', hopeless);
  const tried = attemptsSoFar(before);
  const handoffs = exhausted?.handoffs ?? 0;
  const full = changedIn(state, 'relief', {
    exhausted: { cause: 'refused', tried, handoffs, open: true },
    hopeless,
  });
  const reason = tellsBreaker(event) ? 'the window was filled again at once' : TOO_LONG;
  return decide(full, 'exhausted', reason);
}

/**
 * Handles a turn between the refused one and its relief: for prompts that claude had not read, or a turn of claude's
 * own.
 */
function readAnother(
  before: GovernorState,
  state: GovernorState,
  exhausted: Exhausted,
  event: ResultEvent,
): GovernorState {
  // Such a turn does not answer the work that resumes after the relief.
  if (isRelieving(state)) return state;
  // A caller that stops this turn does not want the earlier work either.
  if (isStoppedByCaller(before, event)) return leaveExhausted(state);
  if (event.isError || exhausted.cause === 'stopped') return state;
  const work = 'The context was full in the middle of earlier work, and has room again.';
  return changedIn(changedIn(state, 'relief', { exhausted: undefined }), 'mailbox', { work });
}

function isStoppedByCaller({ turn }: GovernorState, event: ResultEvent): boolean {
  return tellsInterrupt(event) && (turn.stopped ?? 'asked') === 'asked';
}

export const TOO_LONG = 'the prompt is too long for the context';

function promptTooLong(state: GovernorState, { text = '' }: ResultEvent): string {
  const { gauge, session } = state;
  const sizes = refusedSize(text);
  const blocks = requestsOf(state, unansweredPrompts(state)).flatMap(({ event }) => event.blocks);
  const estimate = () => `it has about ${estimateTokens(measureContent(blocks), gauge.calibration)} tokens (estimated)`;
  const size = sizes === undefined ? estimate() : `the request has ${sizes.tokens} tokens`;
  const window = sizes?.limit ?? gauge.window.tokens ?? windowIn(session.version, session.model, true);
  const fits = window === undefined ? '' : `, the window ${window}`;
  return `${TOO_LONG}, which holds nothing else: ${size}${fits}; put long content into a file and name it in the prompt`;
}

export function dueForExhausted(state: GovernorState, { tried }: Exhausted): Due | undefined {
  if (state.run.mode !== 'act') return undefined;
  // No second compaction starts while one hangs.
  const canCompact = !isCompacting(state) && mayCompact(state);
  if (tried === 'nothing' && canCompact) return { way: 'compact' };
  // After a crash an interrupted handoff is due again.
  const { due } = state.relief;
  if ((due !== undefined && state.run.policy.handoff.enabled) || mayHandOverAgain(state))
    return { way: 'handoff', reason: due ?? TOO_LONG };
  return { way: 'none', reason: 'nothing has relieved the context' };
}

export function markAttempted(state: GovernorState): GovernorState {
  const { exhausted } = state.relief;
  if (exhausted === undefined) return state;
  return changedIn(state, 'relief', { exhausted: { ...exhausted, handoffs: exhausted.handoffs + 1 } });
}

/** Gives up for now, so that the caller gets claude's own answer. */
export function leaveExhausted(state: GovernorState): GovernorState {
  if (!state.relief.exhausted?.open) return state;
  // The turn is over, so an earlier interrupt does not apply to the next prompt.
  const cleared = changedIn(changedIn(state, 'relief', { exhausted: undefined }), 'mailbox', { stopNext: false });
  return answerWithDeferredEnd(cleared);
}

/** Resumes the refused turn after a relief. */
export function afterRelief(before: GovernorState, state: GovernorState): GovernorState {
  const { exhausted } = state.relief;
  const [wasBusy, isBusy] = [before, state].map((one) => isCompacting(one) || isHandingOver(one));
  if (!exhausted?.open || !wasBusy || isBusy || state.process.phase === 'dead') return state;
  const tried = { ...exhausted, tried: 'compaction' } as const;
  const { landing } = state.relief;
  const succeeded = landing?.of === 'compaction';
  if (!succeeded && state.relief.handed === before.relief.handed)
    return changedIn(state, 'relief', { exhausted: tried });
  const isExact = landing?.receipt !== undefined;
  const because = `The context was full in the middle of the work. ${isExact ? 'Older steps are shown above, one line each' : 'The summary above replaced it'}.`;
  const relieved = changedIn(state, 'relief', { exhausted: { ...tried, open: false } });
  return changedIn(relieved, 'mailbox', { work: state.mailbox.work ?? because });
}

/**
 * Ends a turn after a tool, if the strategy is handing over and the context would be full before the end of the turn.
 * No call is interrupted, all parallel tools finish, and the work continues in a fresh context.
 *
 * @param requestId the hook after the tool, which is answered
 */
export function stopTurn(state: GovernorState, requestId: string): GovernorState {
  if (!mustStop(state)) return state;
  const reason = `${dueReason(state)}, in the middle of a turn`;
  const stopping = changedIn(state, 'relief', { stop: { call: state.gauge.calls, reason } });
  return changedAnswer(stopping, requestId, () => ({ output: STOP }));
}

/** Output that every kind of hook accepts. */
const STOP = { continue: false, stopReason: 'ctxb hands the work over to a fresh context' };

function mustStop(state: GovernorState): boolean {
  const { run, turn, relief, gauge, mailbox, work } = state;
  const isOurs = run.mode === 'act' && run.policy.midTurn.enabled && mailbox.input === 'open' && isWithinLimit(state);
  if (!isOurs || turn.phase !== 'running' || turn.startedBy !== 'prompt' || isRelieving(state)) return false;
  if (relief.stop !== undefined || relief.putOffAt === gauge.calls) return false;
  if (work.tasks.some(({ phase }) => phase === 'foreground')) return false;
  const extent = extentOf(state);
  const chosen = chooseWay(state, extent);
  if (chosen?.way !== 'handoff' || chosen.cause !== 'strategy') return false;
  const { thresholds, compaction } = run.policy;
  const window = gauge.window.tokens;
  const latest =
    compaction.moment === 'economic' ? handoffLevel(run.policy, window) : inTokens(thresholds.compact, window);
  return predictedTokens(gauge) >= (payingMoment(state, extent)?.at ?? latest);
}

/**
 * Whether a line is the result of a turn that ctxb stopped. It reports success without a text, which is no answer for
 * the caller.
 */
export function tellsTurnStop({ relief, gauge }: GovernorState, event: Event): boolean {
  return event.kind === 'result' && event.terminalReason === 'hook_stopped' && relief.stop?.call === gauge.calls;
}

/** After a stopped turn, makes the handoff due. */
export function readTurnStop(state: GovernorState, { before, event }: Line<ResultEvent>): GovernorState {
  const { stop } = state.relief;
  if (stop?.call !== state.gauge.calls) return state;
  if (!tellsTurnStop(before, event)) return changedIn(state, 'relief', { stop: undefined });
  const exhausted = { cause: 'stopped', tried: 'compaction', handoffs: 0, open: true } as const;
  return changedIn(state, 'relief', { stop: undefined, due: stop.reason, exhausted });
}

/** Resumes a stopped turn in the same context, because a handoff is impossible now. */
export function continueStopped(state: GovernorState): GovernorState {
  const { exhausted } = state.relief;
  if (exhausted?.cause !== 'stopped' || !exhausted.open) return state;
  const work = 'The turn was stopped so that the work could be handed over, which is not possible now.';
  return changedIn(changedIn(state, 'relief', { exhausted: undefined }), 'mailbox', { work });
}

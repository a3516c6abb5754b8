import type { Event, ResultEvent } from '../../protocol/events.ts';
import { saysUnavailable } from '../../protocol/failures.ts';
import { isAnswer } from '../facts.ts';
import { callOutput, predictedTokens, readGauge } from '../gauge/gauge.ts';
import type { OwnEventOf } from '../input.ts';
import { MIN_NATIVE_WINDOW, nativeLevel } from '../policy.ts';
import { answerWithDeferredEnd } from '../prompts/mailbox.ts';
import { beginOwnTurn, ownTurnTimer } from '../prompts/own-lines.ts';
import { continueStopped } from '../relief/exhaustion.ts';
import { handoffRequest } from '../relief/handoff-request.ts';
import type { GovernorState } from '../state.ts';
import { changed, changedIn, DROP_BUFFERED, decide, emit } from '../steps.ts';
import { isApiUnavailable } from './compact.ts';
import { interruptLateTurn, startClear, startLeaving, TURN_OVER } from './fresh-context.ts';
import { type HandoffPlan, IDLE, type OperationIn } from './operation.ts';

/**
 * Starts a handoff: the agent writes a document, ctxb checks and stores it, and a fresh conversation begins with it.
 */
export function startHandoff(state: GovernorState, reason: string): GovernorState {
  const plan = planOf(state, reason, needsNewProcess(state) ? 'leave' : 'clear');
  const starting = changedIn(state, 'relief', { due: undefined });
  const next = decide(starting, 'handoff', reason);
  if (!canAskAgent(next)) return writeDocument(next, plan, undefined);
  return beginOwnTurn(next, { phase: 'asking', turn: 'asked', plan, isApiDown: false }, handoffRequest(plan));
}

function planOf(state: GovernorState, reason: string, way: HandoffPlan['way']): HandoffPlan {
  const { gauge, facts, relief } = state;
  return { reason, before: readGauge(gauge), calls: gauge.calls, startedAt: facts.now, way, due: relief.due };
}

/** With `/clear`, claude's own cost limit would begin again. */
function needsNewProcess(state: GovernorState): boolean {
  return state.session.commandsOff || isUnreachable(state) || state.run.hasOwnBudget === true;
}

/** Ends the run because no relief is left. Writes a document from the notes first. */
export function endUnrelieved(state: GovernorState, reason: string): GovernorState {
  const plan = planOf(state, reason, 'end');
  const ending = changedIn(state, 'relief', { exhausted: undefined, giveUpReason: undefined });
  return state.run.policy.handoff.enabled
    ? writeDocument(ending, plan, undefined)
    : endRunUnrelieved(ending, plan, state.relief.documentPath);
}

function endRunUnrelieved(
  state: GovernorState,
  { reason }: HandoffPlan,
  documentPath: string | undefined,
): GovernorState {
  const ended = changed(changedIn(state, 'relief', { documentPath }), { operation: IDLE });
  const reported = decide(ended, 'give-up:run', reason, { path: documentPath });
  return answerWithDeferredEnd(changedIn(reported, 'mailbox', { outcome: 'unrelieved' }));
}

/** Whether ctxb cannot ask claude: a stopped compaction does not end, or the process is dead. */
function isUnreachable({ process }: GovernorState): boolean {
  return process.isStillCompacting || process.phase === 'dead';
}

/** Whether ctxb can ask the agent for a document. Not with a full context, and not with a prescribed output schema. */
function canAskAgent(state: GovernorState): boolean {
  const isFull = state.relief.exhausted?.cause === 'refused' || !hasRoomToAsk(state);
  return !state.run.answersInSchema && !isFull && !isUnreachable(state);
}

/** Whether a question fits below the level at which claude compacts. */
function hasRoomToAsk({ gauge, process: { control }, run }: GovernorState): boolean {
  const window = gauge.window.tokens;
  if (window === undefined || window < MIN_NATIVE_WINDOW) return true;
  const native = typeof control.trigger === 'number' ? control.trigger : nativeLevel(run.policy, window);
  return predictedTokens(gauge) + QUESTION_TOKENS < native;
}

/** Upper bound of the tokens of a question. */
const QUESTION_TOKENS = 2_000;

/** Maximum calls for a document, so that an agent that continues its work instead costs little. */
const MAX_CALLS = 6;

export function onAnswerLine(state: GovernorState, operation: OperationIn<'asking'>, event: Event): GovernorState {
  if (event.kind === 'result') return handleAnswer(state, operation, event);
  const isApiDown =
    !isAnswer(event) && (operation.isApiDown || (event.kind === 'api-retry' && isApiUnavailable(event)));
  const next = changedIn(state, 'operation', { turn: 'running', isApiDown });
  if (!operation.isLate && state.gauge.calls - operation.plan.calls > MAX_CALLS) return interruptLateTurn(next);
  // A retry shows that claude waits for the API and that the agent is not slow.
  const isWaiting = event.kind === 'api-retry' && !operation.isLate;
  return isWaiting ? emit(next, ownTurnTimer(state, 'asking', event.delayMs)) : next;
}

function handleAnswer(state: GovernorState, operation: OperationIn<'asking'>, event: ResultEvent): GovernorState {
  const plan = { ...operation.plan, answer: callOutput(state.gauge) };
  const errorText = [event.text, ...event.errors].join('\n');
  const isOverBudget = event.subtype === 'error_max_budget_usd';
  if (event.isError && (operation.isApiDown || isOverBudget || saysUnavailable(errorText)))
    return postponeHandoff(state, plan, errorText);
  return writeDocument(emit(state, ...TURN_OVER), plan, event.isError ? undefined : event.text);
}

function postponeHandoff(state: GovernorState, { due }: HandoffPlan, error: string): GovernorState {
  const relief = { ...state.relief, due, postponedAt: state.gauge.calls };
  const continued = continueStopped(changed(state, { operation: IDLE, relief }));
  const reason = error.trim() || 'the API was not available';
  return decide(emit(continued, ...TURN_OVER), 'put-off', reason);
}

function writeDocument(state: GovernorState, plan: HandoffPlan, answer: string | undefined): GovernorState {
  const writing = changed(state, { operation: { phase: 'writing', plan } });
  return emit(writing, { kind: 'write-handoff', answer, reason: plan.reason });
}

export function onHandoffWritten(
  state: GovernorState,
  { path, text, by, problems }: OwnEventOf<'handoff-written'>,
): GovernorState {
  const { operation } = state;
  if (operation.phase !== 'writing') return state;
  // The user stopped the handoff, so the conversation stays.
  if (state.mailbox.input === 'interrupted') return changed(state, { operation: IDLE });
  const { plan } = operation;
  if (plan.way === 'end') return endRunUnrelieved(state, plan, path);
  const proceed = plan.way === 'clear' ? startClear : startLeaving;
  return proceed(state, { plan, document: { path, text, by, problems } });
}

/** Replaces a process that does not stop compacting. A due handoff follows in a fresh context. */
export function leaveUnreachable(state: GovernorState): GovernorState {
  if (!isUnreachable(state)) return state;
  return state.relief.due === undefined ? emit(state, { kind: 'kill' }) : startHandoff(state, state.relief.due);
}

/** Interrupts a late answer, and replaces the process if that has no effect. */
export function giveUpAnswer(state: GovernorState, operation: OperationIn<'asking'>): GovernorState {
  if (!operation.isLate) return interruptLateTurn(state);
  return writeDocument(emit(state, DROP_BUFFERED), { ...operation.plan, way: 'leave' }, undefined);
}

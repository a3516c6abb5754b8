import type { Fields } from '../../protocol/fields.ts';
import type { Operation } from '../operations/operation.ts';
import type { ControlPurpose, GovernorState, Run, StopReason } from '../state.ts';
import { changed, changedIn, emit, setTimer } from '../steps.ts';
import { isStamp } from './prompt.ts';

/** Opening of ctxb's prompts without text from the user. */
export const OWN_OPENING = '[ctxb] ';

/** Last sentence of a prompt that resumes interrupted work. */
export const CONTINUE_SENTENCE = 'Go on from where the work stands.';

/** The next id for a line of ctxb's. It derives from the run's id, so a replay gets the same ids. */
export function ownUuid({ run, process: { control } }: GovernorState): string {
  const count = (control.sent + 1).toString(16).padStart(12, '0');
  return run.runId.slice(0, -count.length) + count;
}

/** Whether ctxb made the id, in any run. A random UUID does not have this many zeros. */
export function isOwnLine(uuid: string | undefined): boolean {
  return uuid !== undefined && /-0{6}[0-9a-f]{6}$/.test(uuid);
}

/** Counts a line that ctxb sent. */
export function countSent(state: GovernorState): GovernorState {
  return changedIn(state, 'control', { sent: state.process.control.sent + 1 });
}

export type OwnTurn = Extract<Operation, { readonly turn: unknown }>;

export function beginOwnTurn(state: GovernorState, operation: OwnTurn, text: string): GovernorState {
  return emit(
    changed(countSent(state), { operation }),
    { kind: 'send', line: userLine(text, ownUuid(state)) },
    ownTurnTimer(state, operation.phase),
  );
}

/**
 * Sets the timer for ctxb's own turn. `/clear` needs no API call, so its time is short.
 * @param delayMs time that claude waits for the API
 */
export function ownTurnTimer({ run }: GovernorState, phase: OwnTurn['phase'], delayMs = 0) {
  const seconds = {
    compacting: run.policy.compaction.timeoutSeconds,
    asking: run.policy.handoff.timeoutSeconds,
    clearing: 30,
    briefing: 120,
  };
  return setTimer('operation', seconds[phase] * 1_000 + delayMs);
}

export function userLine(content: string | readonly Fields[], uuid: string): string {
  const message = { role: 'user', content };
  return JSON.stringify({ type: 'user', message, parent_tool_use_id: null, session_id: '', uuid });
}

/** Whether ctxb sent a line, or gave the caller's prompt its `uuid`, also in the run that this one resumes. */
export function hasCtxbUuid({ run }: GovernorState, uuid: string | undefined): boolean {
  return uuid !== undefined && (hasPrefixOf(run.runId, uuid) || isStamp(uuid));
}

interface WithRun {
  readonly run: Pick<Run, 'runId'>;
}

/** Whether a `uuid` belongs to a line that ctxb wrote in this run. */
export function isOwnUuid({ run }: WithRun, uuid: string | undefined): boolean {
  return uuid !== undefined && hasPrefixOf(run.runId, uuid) && !isStamp(uuid);
}

function hasPrefixOf(runId: string, uuid: string): boolean {
  return uuid.slice(0, -12) === runId.slice(0, -12);
}

/** Prefix of ctxb's own request ids. The caller sees neither these requests nor their answers. */
export const OWN_PREFIX = 'ctxb:';

/** Time for claude's report of its context. On a busy machine, the start of claude alone may take 5 s. */
const WAIT_FOR_CONTEXT = setTimer('context', 30_000);

/** Asks claude for window and context. `summary` makes no API call. */
export function askContext(state: GovernorState): GovernorState {
  const body = { subtype: 'get_context_usage', detail: 'summary' };
  return emit(request(changedIn(state, 'control', { hasAskedWindow: true }), 'context', body), WAIT_FOR_CONTEXT);
}

/** Asks claude for its cost counter. @param purpose which handler gets the answer */
export function askUsage(state: GovernorState, purpose: 'usage' | 'cost'): GovernorState {
  return request(state, purpose, { subtype: 'get_usage' });
}

/** Asks claude for its cost counter, unless a request is running: the answer has the cost of the whole run. */
export function askCostCounter(state: GovernorState): GovernorState {
  return isAsking(state, 'cost') ? state : askUsage(state, 'cost');
}

/** Whether a request for this purpose is unanswered. */
export function isAsking({ process: { control } }: GovernorState, purpose: ControlPurpose): boolean {
  return Object.values(control.pending).includes(purpose);
}

export function stopTask(state: GovernorState, taskId: string): GovernorState {
  return request(state, 'stop-task', { subtype: 'stop_task', task_id: taskId });
}

/**
 * Interrupts the turn. ctxb's own interrupt also cancels the prompts queued behind it, which claude would otherwise
 * begin.
 */
export function sendInterrupt(before: GovernorState, stopped: StopReason = 'asked'): GovernorState {
  const state = changedIn(before, 'turn', { stopped, isStopLate: false });
  const cancel_queued = state.turn.phase === 'running' && !isStoppedByCaller(state);
  return request(state, 'interrupt', { subtype: 'interrupt', ...(cancel_queued && { cancel_queued }) });
}

/** Whether the caller has interrupted the turn, and the run continues. */
export function isStoppedByCaller({ turn, mailbox, relief }: GovernorState): boolean {
  const continues = mailbox.input === 'open' && mailbox.outcome === undefined && relief.giveUpReason === undefined;
  return turn.stopped === 'asked' && continues;
}

/** Time after which claude is probably in a long prompt hook, which an interrupt stops too. */
const LONG_HOOK_MS = 2_000;

/** Stops the turn of a sent prompt. */
export function stopWhenTurnBegins(state: GovernorState): GovernorState {
  return emit(changedIn(state, 'mailbox', { stopNext: true }), setTimer('interrupt', LONG_HOOK_MS));
}

/**
 * Stops the turn of a prompt that was interrupted before the turn began, or that crosses a limit. Not earlier: claude
 * drops a prompt that is interrupted before its turn runs.
 */
export function stopHeldPrompt(state: GovernorState): GovernorState {
  const { turn, mailbox } = state;
  if (turn.phase !== 'running' || turn.startedBy !== 'prompt') return state;
  if (!mailbox.stopNext) return stopAtLimit(state);
  // The answer to an earlier interrupt shows whether it has stopped this turn.
  return isAsking(state, 'interrupt') ? state : sendInterrupt(changedIn(state, 'mailbox', { stopNext: false }));
}

/** Stops the turn of a prompt that crosses a limit. At the prompt's hook, this saves a call; ctxb repeats the prompt. */
export function stopAtLimit(state: GovernorState): GovernorState {
  const { turn, limits } = state;
  const isBeyond = limits.isCutShort && limits.phase === 'within' && turn.stopped === undefined;
  return isBeyond && turn.phase !== 'idle' && turn.startedBy === 'prompt' ? sendInterrupt(state, 'cost') : state;
}

export function isOwnRequest(state: GovernorState, requestId: string): boolean {
  return Object.hasOwn(state.process.control.pending, requestId);
}

/** Sends a control request from ctxb. */
export function request(state: GovernorState, purpose: ControlPurpose, body: Fields): GovernorState {
  const { sent, pending } = state.process.control;
  const id = `${OWN_PREFIX}${state.run.runId.slice(0, 8)}:${sent + 1}`;
  const asking = changedIn(state, 'control', { sent: sent + 1, pending: { ...pending, [id]: purpose } });
  return emit(asking, { kind: 'send', line: controlLine(id, body) });
}

export function successLine(requestId: string, response: object): string {
  const success = { subtype: 'success', request_id: requestId, response };
  return JSON.stringify({ type: 'control_response', response: success });
}

export function controlLine(requestId: string, request: Fields): string {
  return JSON.stringify({ type: 'control_request', request_id: requestId, request });
}

import type { Fields } from '../../protocol/fields.ts';
import type { Operation } from '../operations/operation.ts';
import type { ControlPurpose, GovernorState, Run, Stop } from '../state.ts';
import { chain, changed, changedIn, keep, type Step, setTimer } from '../steps.ts';
import { isStamp } from './prompt.ts';

/** Opening of ctxb's own lines in the user's place, without any text of the user's. */
export const OWN_OPENING = '[ctxb] ';

/** The end of what resumes interrupted work. */
export const GO_ON = 'Go on from where the work stands.';

/** Ids of lines that ctxb writes, out of the run's own id: a replay makes the same ones. */
export function ownUuid({ run, control }: GovernorState): string {
  const count = (control.sent + 1).toString(16).padStart(12, '0');
  return run.runId.slice(0, -count.length) + count;
}

/** Whether a line in claude's log has such an id, of any run. A random UUID does not have this many zeros. */
export function isOwnLine(uuid: string | undefined): boolean {
  return uuid !== undefined && /-0{6}[0-9a-f]{6}$/.test(uuid);
}

/** The state after a line of our own was sent. */
export function countSent(state: GovernorState): GovernorState {
  return changedIn(state, 'control', { sent: state.control.sent + 1 });
}

type OwnTurn = Extract<Operation, { readonly turn: unknown }>;

/** Begins a turn of ctxb's own, which the caller does not see. */
export function beginOwnTurn(state: GovernorState, operation: OwnTurn, text: string): Step {
  return keep(changed(countSent(state), { operation }), [
    { kind: 'send', line: userLine(text, ownUuid(state)) },
    ownTurnTimer(state, operation.phase),
  ]);
}

/**
 * How long such a turn may take: `/clear` needs no API call.
 *
 * @param delayMs time that claude waits for the API
 */
export function ownTurnTimer({ run }: GovernorState, phase: OwnTurn['phase'], delayMs = 0) {
  const { compaction, handoff } = run.policy;
  const seconds = {
    compacting: compaction.timeoutSeconds,
    asking: handoff.timeoutSeconds,
    clearing: 30,
    briefing: 120,
  };
  return setTimer(phase === 'compacting' ? 'compaction' : 'handoff', seconds[phase] * 1_000 + delayMs);
}

export function userLine(content: string, uuid: string): string {
  const message = { role: 'user', content };
  return JSON.stringify({ type: 'user', message, parent_tool_use_id: null, session_id: '', uuid });
}

/** Whether ctxb sent a line or gave it its `uuid`, which a prompt keeps when its run is resumed. */
export function isOwnOrStamped({ run }: GovernorState, uuid: string | undefined): boolean {
  return uuid !== undefined && (hasRunPrefix(run, uuid) || isStamp(uuid));
}

/** Whether an echo that claude sends back is of a line that ctxb wrote. */
export function isOwnUuid({ run }: GovernorState, uuid: string | undefined): boolean {
  return uuid !== undefined && hasRunPrefix(run, uuid) && !isStamp(uuid);
}

function hasRunPrefix({ runId }: Run, uuid: string): boolean {
  return uuid.slice(0, -12) === runId.slice(0, -12);
}

/** Prefix of ctxb's own request ids, whose traffic is hidden from the caller. */
export const OWN_PREFIX = 'ctxb:';

/**
 * How long prompts, and calls of tools, wait for claude's answer to how full its context is. Each supported claude answers;
 * on a busy machine its start alone may take 5 s.
 */
const WAIT_FOR_CONTEXT = setTimer('context', 30_000);

/** Asks claude for window and context. `summary` makes no API call. */
export function askContext(state: GovernorState): Step {
  const body = { subtype: 'get_context_usage', detail: 'summary' };
  return chain(request(changedIn(state, 'control', { asked: true }), 'context', body), (next) =>
    keep(next, [WAIT_FOR_CONTEXT]),
  );
}

/** Asks claude for its own counter of cost. @param purpose which the answer is taken for */
export function askUsage(state: GovernorState, purpose: 'usage' | 'cost'): Step {
  return request(state, purpose, { subtype: 'get_usage' });
}

/** The same in the middle of a turn: one request at a time, as its answer has the whole cost of the run. */
export function askCounter(state: GovernorState): Step {
  return state.control.phase === 'open' && !isAsking(state, 'cost') ? askUsage(state, 'cost') : keep(state);
}

/** Whether claude has yet to answer it. */
export function isAsking({ control }: GovernorState, purpose: ControlPurpose): boolean {
  return Object.values(control.pending).includes(purpose);
}

/** Ends an agent, a workflow or a command. */
export function stopTask(taskId: string): (state: GovernorState) => Step {
  return (state) => request(state, 'stop-task', { subtype: 'stop_task', task_id: taskId });
}

export function sendInterrupt(state: GovernorState, stopped: Stop = 'asked'): Step {
  return request(changedIn(state, 'turn', { stopped }), 'interrupt', { subtype: 'interrupt' });
}

/**
 * Stops the turn of a prompt that the caller interrupted while it waited inside ctxb, or that a limit does not allow any
 * more: at its hook, so that the model is not called, or as soon as the turn runs. Before either, claude ignores an
 * interrupt.
 */
export function stopHeldPrompt(state: GovernorState): Step {
  const { turn, mailbox, spending } = state;
  if (turn.phase === 'idle' || turn.startedBy !== 'prompt') return keep(state);
  if (mailbox.stopNext) return sendInterrupt(changedIn(state, 'mailbox', { stopNext: false }));
  const isBeyond = spending.brokenOff && spending.phase === 'within' && turn.stopped === undefined;
  return isBeyond ? sendInterrupt(state, 'cost') : keep(state);
}

/** Whether an answer is to a request of ours. */
export function isOwnRequest(state: GovernorState, requestId: string): boolean {
  return Object.hasOwn(state.control.pending, requestId);
}

/** Asks claude for something in our own name. */
export function request(state: GovernorState, purpose: ControlPurpose, body: Fields): Step {
  const { sent, pending } = state.control;
  const id = `${OWN_PREFIX}${state.run.runId.slice(0, 8)}:${sent + 1}`;
  const asked = changedIn(state, 'control', { sent: sent + 1, pending: { ...pending, [id]: purpose } });
  return keep(asked, [{ kind: 'send', line: controlLine(id, body) }]);
}

/** An answer on the control channel. */
export function successLine(requestId: string, response: object): string {
  const success = { subtype: 'success', request_id: requestId, response };
  return JSON.stringify({ type: 'control_response', response: success });
}

export function controlLine(requestId: string, request: Fields): string {
  return JSON.stringify({ type: 'control_request', request_id: requestId, request });
}

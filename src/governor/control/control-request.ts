import type { Fields } from '../../stream/fields.ts';
import type { Action } from '../actions.ts';
import type { ControlPurpose, GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';

/** Ids that begin like this are ctxb's own: their traffic is not the caller's business. */
export const OWN_PREFIX = 'ctxb:';

/** How long claude may take over the question how full its context is before prompts go without the answer. */
const CONTEXT_PATIENCE_MS = 5_000;

/** Asks claude for window and context. `summary` makes no API call. */
export function askContext(state: GovernorState): Step {
  return request(state, 'context', { subtype: 'get_context_usage', detail: 'summary' });
}

/** Ends a background task, as claude itself does when its input is at its end. */
export function stopTask(taskId: string): (state: GovernorState) => Step {
  return (state) => request(state, 'stop-task', { subtype: 'stop_task', task_id: taskId });
}

export function sendInterrupt(state: GovernorState): Step {
  return request(state, 'interrupt', { subtype: 'interrupt' });
}

/** Whether an answer is to a request of ours. */
export function isOwnRequest(state: GovernorState, requestId: string): boolean {
  return Object.hasOwn(state.control.pending, requestId);
}

/** Asks claude for something in our own name. */
export function request(state: GovernorState, purpose: ControlPurpose, body: Fields): Step {
  const id = `${OWN_PREFIX}${state.run.runId.slice(0, 8)}:${state.control.sent + 1}`;
  const control = {
    ...state.control,
    sent: state.control.sent + 1,
    pending: { ...state.control.pending, [id]: purpose },
  };
  const actions: Action[] = [{ kind: 'send', line: controlLine(id, body) }];
  if (purpose === 'context' && control.phase === 'opening') {
    actions.push({ kind: 'set-timer', timer: 'context', afterMs: CONTEXT_PATIENCE_MS });
  }
  return keep({ ...state, control }, actions);
}

export function controlLine(requestId: string, request: Fields): string {
  return JSON.stringify({ type: 'control_request', request_id: requestId, request });
}

import type { GovernorState, Run } from '../state.ts';
import { isStamp } from './mailbox.ts';

/** Ids of lines that ctxb writes, out of the run's own id: a replay makes the same ones. */
export function ownUuid({ run, control }: GovernorState): string {
  const count = (control.sent + 1).toString(16).padStart(12, '0');
  return run.runId.slice(0, -count.length) + count;
}

/** The state after a line of our own was sent. */
export function countSent(state: GovernorState): GovernorState {
  return { ...state, control: { ...state.control, sent: state.control.sent + 1 } };
}

export function userLine(content: string, uuid: string): string {
  const message = { role: 'user', content };
  return JSON.stringify({ type: 'user', message, parent_tool_use_id: null, session_id: '', uuid });
}

/** Whether a line was sent by ctxb, or got its `uuid` from it: a prompt keeps that when its run is taken up. */
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

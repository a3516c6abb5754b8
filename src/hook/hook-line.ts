import { CALLBACKS } from '../governor/control/hook-callbacks.ts';
import { decodeObject } from '../stream/decode.ts';
import type { Event } from '../stream/events.ts';
import { textOf } from '../stream/fields.ts';
import type { HookInput } from './hook-input.ts';

/** A command hook as the callback that a headless claude would have made; undefined: nothing is answered to it. */
export function callbackEvent({ hook, fields }: HookInput, requestId: string): Event | undefined {
  if (hook === 'Stop' || hook === 'SessionEnd') return undefined;
  const request = { subtype: 'hook_callback', callback_id: CALLBACKS[hook], input: fields };
  return decodeObject({ type: 'control_request', request_id: requestId, request });
}

/** What was said, as the line of a caller. */
export function promptEvent({ fields, sessionId }: HookInput): { readonly event: Event; readonly line: string } {
  const line = {
    type: 'user',
    message: { role: 'user', content: textOf(fields.prompt) ?? '' },
    parent_tool_use_id: null,
    session_id: sessionId,
    uuid: textOf(fields.prompt_id) ?? '',
  };
  return { event: decodeObject(line), line: JSON.stringify(line) };
}

/** The end of a turn. Neither the log nor a hook gives its figures. */
export function turnEnd(sessionId: string, isInterrupted: boolean): Event {
  const subtype = isInterrupted ? 'error_during_execution' : 'success';
  return decodeObject({ type: 'result', subtype, is_error: false, session_id: sessionId });
}

/** The conversation goes on under another id, with nothing in it. */
export function clearedEvent(sessionId: string): Event {
  return decodeObject({ type: 'system', subtype: 'init', session_id: sessionId });
}

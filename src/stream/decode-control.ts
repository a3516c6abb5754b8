import type { ControlCancelEvent, ControlRequestEvent, ControlResponseEvent } from './events.ts';
import { type Fields, fieldsOf, textOf } from './fields.ts';

/** The control channel: requests and answers in both directions, between the lines of the conversation. */
export function decodeControl(line: Fields): ControlRequestEvent | ControlResponseEvent | ControlCancelEvent {
  if (line.type === 'control_cancel_request') {
    return { kind: 'control-cancel', requestId: textOf(line.request_id) ?? '' };
  }
  return line.type === 'control_request' ? decodeRequest(line) : decodeResponse(line);
}

function decodeRequest(line: Fields): ControlRequestEvent {
  const request = fieldsOf(line.request);
  return {
    kind: 'control-request',
    requestId: textOf(line.request_id) ?? '',
    subtype: textOf(request.subtype) ?? '',
    callbackId: textOf(request.callback_id),
    request,
  };
}

function decodeResponse(line: Fields): ControlResponseEvent {
  const envelope = fieldsOf(line.response);
  return {
    kind: 'control-response',
    requestId: textOf(envelope.request_id) ?? '',
    ok: envelope.subtype === 'success',
    response: fieldsOf(envelope.response),
  };
}

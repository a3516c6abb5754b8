import { attachedContent, markedRole, plainText, readBlocks, userRole } from './blocks.ts';
import { SYSTEM_DECODERS } from './decode-system.ts';
import type {
  AssistantEvent,
  ControlRequestEvent,
  ControlResponseEvent,
  Event,
  LifecycleEvent,
  PartialEvent,
  RateLimitEvent,
  ResultEvent,
  UserEvent,
} from './events.ts';
import { epochMsOf, failureOf } from './failures.ts';
import {
  countOf,
  type Fields,
  fieldsOf,
  isFields,
  mapFields,
  numberOf,
  ownOf,
  parseJson,
  stringOf,
  textOf,
  textsOf,
} from './fields.ts';
import { decodeOther, isKnown, lineFields, lineName, subagentOf } from './line-fields.ts';
import { type LimitUse, readLastIteration, readUsage } from './usage.ts';

/** Bytes read from the end of a session log while claude waits; reading them takes up to a second. */
export const LOG_TAIL_BYTES = 8 * 1024 * 1024;

/**
 * Decodes one line. Never throws: unknown lines become `unknown` or `malformed`, to be passed on and counted.
 *
 * @param line one line of a stream recording or a session log, with or without its terminator
 */
export function decodeLine(line: string): Event {
  const value = parseJson(line);
  return isFields(value) ? decodeObject(value) : { kind: 'malformed', isBlank: line.trim() === '' };
}

export function decodeObject(line: Fields): Event {
  const decode = ownOf(DECODERS, lineName(line)) ?? (isRenamedCall(line) ? decodeAssistant : decodeOther);
  return decode(line);
}

/** Whether the line is a call under an unknown type, as a later claude may write it. Its cost counts. */
function isRenamedCall(line: Fields): boolean {
  const { role, usage } = fieldsOf(line.message);
  return role === 'assistant' && line.type !== 'system' && readUsage(usage) !== undefined && !isKnown(line);
}

const DECODERS: Readonly<Record<string, (line: Fields) => Event>> = {
  assistant: decodeAssistant,
  user: decodeUser,
  attachment: decodeAttachment,
  result: decodeResult,
  stream_event: decodePartial,
  ...SYSTEM_DECODERS,
  'permission-mode': decodeMode,
  conversation_reset: (line) => ({ kind: 'reset', ...lineFields(line) }),
  command_lifecycle: decodeLifecycle,
  rate_limit_event: decodeRateLimit,
  control_request: decodeRequest,
  control_response: decodeResponse,
  control_cancel_request: (line) => ({ kind: 'control-cancel', requestId: stringOf(line.request_id) }),
};

function decodeAssistant(line: Fields): AssistantEvent {
  const message = fieldsOf(line.message);
  const model = textOf(message.model);
  const usage = readUsage(message.usage);
  const blocks = readBlocks(message.content);
  const isSynthetic = model === '<synthetic>' || line.isApiErrorMessage === true;
  const failure = isSynthetic ? failureOf(line, plainText(blocks)) : undefined;
  const cacheMiss = textOf(fieldsOf(fieldsOf(message.diagnostics).cache_miss_reason).type);
  return {
    kind: 'assistant',
    ...lineFields(line),
    messageId: textOf(message.id) ?? textOf(line.requestId) ?? stringOf(line.uuid),
    model,
    isSynthetic,
    subagent: subagentOf(line),
    usage,
    hasFinalOutput: textOf(message.stop_reason) !== undefined && (usage?.output ?? 0) > 0,
    blocks,
    version: textOf(line.version),
    cwd: textOf(line.cwd),
    ...(cacheMiss && { cacheMiss }),
    ...(typeof line.costUSD === 'number' && { costUsd: line.costUSD }),
    ...(failure && { failure }),
  };
}

function decodeUser(line: Fields): UserEvent {
  const blocks = readBlocks(fieldsOf(line.message).content);
  const subagent = subagentOf(line);
  return {
    kind: 'user',
    ...lineFields(line),
    role: userRole(line, blocks, subagent),
    isReplay: line.isReplay === true,
    subagent,
    blocks,
    toolReport: line.tool_use_result ?? line.toolUseResult,
    version: textOf(line.version),
    cwd: textOf(line.cwd),
    permissionMode: textOf(line.permissionMode),
    ...(markedRole(line) === 'prompt' && { isMarked: true as const }),
  };
}

/** Session logs store the user's words during a turn, and texts of Claude Code, as attachments. */
function decodeAttachment(line: Fields): Event {
  const attachment = fieldsOf(line.attachment);
  const { type, commandMode, prompt, origin, isMeta } = attachment;
  if (type === 'queued_command' && commandMode === 'prompt') {
    return decodeUser({ ...line, origin, isMeta, message: { content: prompt } });
  }
  const content = attachedContent(attachment);
  return content.length > 0 ? decodeUser({ ...line, isMeta: true, message: { content } }) : decodeOther(line);
}

function decodeMode(line: Fields): Event {
  const permissionMode = textOf(line.permissionMode);
  return permissionMode ? { kind: 'mode', ...lineFields(line), permissionMode } : decodeOther(line);
}

function decodeResult(line: Fields): ResultEvent {
  // Some programs write the counts at the top level, beside an empty or partial `usage`.
  const usage = readUsage(line.usage) ?? readUsage(line);
  const isError = line.is_error === true;
  const failure = isError ? failureOf(line, stringOf(line.result)) : undefined;
  return {
    kind: 'result',
    ...lineFields(line),
    subtype: stringOf(line.subtype),
    isError,
    numTurns: countOf(line.num_turns),
    text: textOf(line.result),
    errors: textsOf(line.errors),
    usage,
    lastIteration: readLastIteration(line.usage),
    // Versions before 1.0.22 wrote the other names.
    costUsd: [line.total_cost_usd, line.total_cost, line.cost_usd].find((usd) => typeof usd === 'number'),
    windows: mapFields(fieldsOf(line.modelUsage), (use) => countOf(fieldsOf(use).contextWindow) || undefined),
    fromBackgroundTask: fieldsOf(line.origin).kind === 'task-notification',
    terminalReason: line.stopped_by_permission_check ? 'refused' : textOf(line.terminal_reason),
    ...(failure && { failure }),
  };
}

function decodeLifecycle(line: Fields): LifecycleEvent {
  const { state } = line;
  return {
    kind: 'lifecycle',
    ...lineFields(line),
    state,
    lineUuid: textOf(line.command_uuid),
    isWakeUp: state === 'started' && textOf(line.wakeup_source) !== undefined,
    scheduledFor: countOf(line.scheduled_for),
  };
}

function decodeRateLimit(line: Fields): RateLimitEvent {
  const { rateLimitType, status, utilization, resetsAt, unifiedWindows } = fieldsOf(line.rate_limit_info);
  const name = textOf(rateLimitType);
  const all = { ...(name && { [name]: { utilization, resetsAt } }), ...fieldsOf(unifiedWindows) };
  return {
    kind: 'rate-limit',
    ...lineFields(line),
    rejectedLimit: status === 'rejected' ? name : undefined,
    limits: mapFields(all, readUse),
  };
}

function readUse(use: unknown): LimitUse {
  const { utilization, resetsAt } = fieldsOf(use);
  return { share: numberOf(utilization), resetsAt: epochMsOf(resetsAt) };
}

function decodePartial(line: Fields): PartialEvent {
  const event = fieldsOf(line.event);
  const counts = fieldsOf(event.type === 'message_delta' && event.usage);
  const usage = readUsage(counts);
  const outputTokens = usage?.output ?? countOf(counts.output_tokens);
  return { kind: 'partial', ...lineFields(line), subagent: subagentOf(line), outputTokens, usage };
}

function decodeRequest(line: Fields): ControlRequestEvent {
  const request = fieldsOf(line.request);
  return {
    kind: 'control-request',
    requestId: stringOf(line.request_id),
    subtype: stringOf(request.subtype),
    callbackId: textOf(request.callback_id),
    request,
  };
}

function decodeResponse(line: Fields): ControlResponseEvent {
  const envelope = fieldsOf(line.response);
  return {
    kind: 'control-response',
    requestId: stringOf(envelope.request_id),
    ok: envelope.subtype === 'success',
    response: fieldsOf(envelope.response),
  };
}

import { isAgentCall } from '../core/governor/agents/agents.ts';
import { BEFORE } from '../core/governor/control/control.ts';
import { CALLBACKS } from '../core/governor/control/hook-callbacks.ts';
import type { HookName } from '../core/governor/effects.ts';
import { userLine } from '../core/governor/prompts/own-lines.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { decodeLine, decodeObject, LOG_TAIL_BYTES } from '../core/protocol/decode.ts';
import type { Event, UserEvent } from '../core/protocol/events.ts';
import { type Fields, parseFields, textOf } from '../core/protocol/fields.ts';
import { readTail, type Tail } from '../store/files/read-lines.ts';
import { errorCode } from '../store/files/store-error.ts';

/** Hooks that Claude Code calls as a command: those that are answered, and those that only tell. */
export type HookEvent = HookName | 'Stop' | 'SessionEnd';

/** All of them, with the tools that they are called for; undefined: it is no hook of tools. */
export const HOOK_EVENTS: Readonly<Record<HookEvent, string | undefined>> = {
  SessionStart: undefined,
  UserPromptSubmit: undefined,
  PreToolUse: BEFORE,
  PostToolUse: '*',
  PostToolUseFailure: '*',
  PreCompact: undefined,
  PostCompact: undefined,
  Stop: undefined,
  SessionEnd: undefined,
};

/** What Claude Code writes to the stdin of a hook. */
export interface HookInput {
  readonly hook: HookEvent;
  readonly sessionId: string;
  /** Path of the session's log, which is there from the first prompt on. */
  readonly transcript: string | undefined;
  /** Folder that claude's shell is in. */
  readonly cwd: string | undefined;
  /** All of it. */
  readonly fields: Fields;
}

/** Undefined where the text is no such JSON, or of a hook that nothing is done about. */
export function readHookInput(text: string): HookInput | undefined {
  const fields = parseFields(text);
  const [hook, sessionId] = [textOf(fields.hook_event_name), textOf(fields.session_id)];
  if (hook === undefined || sessionId === undefined || !Object.hasOwn(HOOK_EVENTS, hook)) return undefined;
  const transcript = textOf(fields.transcript_path);
  return { hook: hook as HookEvent, sessionId, transcript, cwd: textOf(fields.cwd), fields };
}

/** A command hook as the callback that a headless claude would have made; undefined: nothing is answered to it. */
export function callbackEvent({ hook, fields }: HookInput, requestId: string): Event | undefined {
  if (hook === 'Stop' || hook === 'SessionEnd') return undefined;
  const request = { subtype: 'hook_callback', callback_id: CALLBACKS[hook], input: fields };
  return decodeObject({ type: 'control_request', request_id: requestId, request });
}

/**
 * The call of a tool that a hook is about, as far as the hook says it: claude writes its log up to a tenth of a second
 * late. Undefined: it is none, a subagent's, or one of those that are known.
 */
export function callEvent({ fields }: HookInput, known: ReadonlySet<string>): Event | undefined {
  const { tool_name: name, tool_input: input, agent_id: agent } = fields;
  const id = textOf(fields.tool_use_id);
  if (id === undefined || known.has(id) || textOf(agent)) return undefined;
  return decodeObject({ type: 'assistant', message: { content: [{ type: 'tool_use', id, name, input }] } });
}

/** What was said, as the line of a caller. */
export function promptLine({ fields }: HookInput): string {
  return userLine(textOf(fields.prompt) ?? '', textOf(fields.prompt_id) ?? '');
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

const INTERRUPTED = /^\[Request interrupted by user/;

/**
 * What the stream of a headless claude would have shown in the place of a line of the session's log: prompts are not
 * among it, as hooks tell of them, and when a subagent begins and ends it says so.
 */
export function logEvents(state: GovernorState, event: Event): readonly Event[] {
  if (event.kind === 'assistant' && event.subagent === null) {
    const calls = event.blocks.flatMap((block) =>
      block.type === 'tool_use' && isAgentCall(block.name) ? [block.id] : [],
    );
    return [event, ...calls.map((id) => taskEvent(id, 'task_started'))];
  }
  if (event.kind !== 'user' || event.subagent !== null) return [event];
  if (event.role === 'prompt') return [];
  return [...agentsEnded(state, event).map((id) => taskEvent(id, 'task_notification')), event];
}

/** The person has stopped the turn, of which claude tells no hook. */
export function isInterruption(event: Event): boolean {
  if (event.kind !== 'user' || event.subagent !== null) return false;
  return event.blocks.some((block) => block.type === 'text' && INTERRUPTED.test(block.text));
}

function agentsEnded({ tasks }: GovernorState, { blocks }: UserEvent): string[] {
  return blocks.flatMap((block) =>
    block.type === 'tool_result' && Object.hasOwn(tasks, block.toolUseId) ? [block.toolUseId] : [],
  );
}

function taskEvent(id: string, subtype: 'task_started' | 'task_notification'): Event {
  return decodeObject({ type: 'system', subtype, task_id: id, tool_use_id: id, task_type: 'local_agent' });
}

/** Bytes of the log of a session that goes on and that no hook has seen before: enough to know how full its context is. */
const FIRST_BYTES = 1024 * 1024;

/** The lines that came in since `from`; undefined: ctxb has not seen the session before. */
export function newLines(path: string | undefined, from: number | undefined): Tail {
  const nothing = { lines: [], start: from ?? 0, end: from ?? 0 };
  if (path === undefined) return nothing;
  try {
    return from === undefined ? readTail(path, FIRST_BYTES) : readTail(path, LOG_TAIL_BYTES, from);
  } catch (error) {
    // claude makes it with the first prompt.
    if (errorCode(error) === 'ENOENT') return nothing;
    throw error;
  }
}

/**
 * What can be noted for good: the lines up to the last point at which no tool call was open, and their bytes. A prompt
 * ends calls that were broken off.
 */
export function settledLines(lines: readonly string[]): { readonly events: readonly Event[]; readonly bytes: number } {
  const events = lines.map((line) => decodeLine(line));
  const open = new Set<string>();
  let bytes = 0;
  let settled = { count: 0, bytes: 0 };
  for (const [index, event] of events.entries()) {
    followCalls(open, event);
    bytes += Buffer.byteLength(lines[index] ?? '') + 1;
    if (open.size === 0) settled = { count: index + 1, bytes };
  }
  return { events: events.slice(0, settled.count), bytes: settled.bytes };
}

/** Adds calls of tools that an event makes, and takes out those that it ends. */
export function followCalls(open: Set<string>, event: Event): void {
  if (event.kind !== 'assistant' && event.kind !== 'user') return;
  if (event.kind === 'user' && event.role === 'prompt' && event.subagent === null) open.clear();
  for (const block of event.blocks) {
    if (block.type === 'tool_use') open.add(block.id);
    if (block.type === 'tool_result') open.delete(block.toolUseId);
  }
}

import type { HookName } from '../core/governor/effects.ts';
import { type Fields, parseFields, textOf } from '../core/protocol/fields.ts';

/** Hooks that Claude Code calls as a command: those that are answered, and those that only tell. */
export type HookEvent = HookName | 'Stop' | 'SessionEnd';

/** All of them, with the tools that they are called for; undefined: it is no hook of tools. */
export const HOOK_EVENTS: Readonly<Record<HookEvent, string | undefined>> = {
  SessionStart: undefined,
  UserPromptSubmit: undefined,
  // Tools of which something is known before they are called.
  PreToolUse: 'Read|Bash|Grep|Glob|mcp__.*',
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

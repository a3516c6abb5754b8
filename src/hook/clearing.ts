import type { ProcessMark } from '../store/files/process-mark.ts';
import type { Seal } from '../store/runs/seal.ts';
import { noteSessionOf, readHookSession, sessionOf } from '../store/sessions/hook-sessions.ts';
import type { HookInput } from './hook-input.ts';
import { type KeptSession, readKept } from './kept-session.ts';

export interface ClearingWorld {
  readonly folder: string;
  readonly seal: Seal;
  readonly claude: ProcessMark;
}

/**
 * What a session that `/clear` has begun goes on with; undefined where it is no such session. Its first hook names
 * neither the session before nor the `/clear`: the same Claude Code was at that session until now.
 */
export function predecessorOf(
  { hook, fields, sessionId }: HookInput,
  { folder, seal, claude }: ClearingWorld,
): KeptSession | undefined {
  if (hook !== 'SessionStart' || fields.source !== 'clear') return undefined;
  const before = sessionOf(folder, claude);
  if (before === undefined || before === sessionId) return undefined;
  const kept = readKept(readHookSession(folder, before, seal));
  return kept.state === undefined ? undefined : { ...kept, read: 0, noted: 0, stopped: 'no', compaction: [] };
}

/**
 * Only the beginning of a session moves Claude Code to it: hooks of the one before may still be at work. Any hook will
 * do where nothing is known yet, as ctxb may be set up in the middle of a session.
 */
export function followClaude({ hook, sessionId }: HookInput, { folder, claude }: ClearingWorld): void {
  if (hook !== 'SessionStart' && sessionOf(folder, claude) !== undefined) return;
  noteSessionOf(folder, claude, sessionId);
}

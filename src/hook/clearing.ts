import { noteCleared, readHookSession, takeCleared } from '../store/hook-sessions.ts';
import type { Seal } from '../store/seal.ts';
import { parseFields, textOf } from '../stream/fields.ts';
import type { HookInput } from './hook-input.ts';
import { type KeptSession, readKept } from './kept-session.ts';

/** `/clear` ends a session and begins another: the end leaves word for the beginning. */
export function noteClearing({ fields, sessionId }: HookInput, folder: string): void {
  if (fields.reason !== 'clear') return;
  noteCleared(folder, JSON.stringify({ session: sessionId, prompt: fields.prompt_id }));
}

/**
 * What a session that `/clear` has begun goes on with; undefined where it is no such session. Both hooks name the same
 * `/clear`, so that another session of the project is not taken for it.
 */
export function successorOf({ hook, fields }: HookInput, folder: string, seal: Seal): KeptSession | undefined {
  if (hook !== 'SessionStart' || fields.source !== 'clear') return undefined;
  const { session, prompt } = parseFields(takeCleared(folder) ?? '');
  const id = textOf(session);
  if (id === undefined || prompt !== fields.prompt_id) return undefined;
  const kept = readKept(readHookSession(folder, id, seal));
  return kept.state === undefined ? undefined : { ...kept, read: 0, noted: 0, stopped: 'no', compaction: [] };
}

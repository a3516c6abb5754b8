import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fieldsOf } from '../../core/protocol/fields.ts';
import { takeLock } from '../files/lock.ts';
import { kindOf, namesIn, readJson, readPlain, removeFile, statsOf } from '../files/plain-file.ts';
import { asProcessMark, isAlive, type ProcessMark, processMark } from '../files/process-mark.ts';
import { type ContextDir, openContextDir } from '../folders/context-dir.ts';
import { everythingIn } from '../folders/own-names.ts';
import { asItIs, maskedJson } from '../masks/disk-text.ts';
import type { Seal } from '../runs/seal.ts';
import { isSessionId } from './sessions.ts';

/** The folder, in the context folder, of what hooks leave for the next one. */
const HOOKS = 'hooks';

const STATE = 'state.json';
const WINDOW = 'window.json';
const WINDOW_LIMIT = 32;
/** Bytes; some hundred kilobytes are usual. */
const STATE_LIMIT = 64 * 1024 * 1024;
const PAUSE_MS = 5;
/** No session goes on behind a power failure without a new start. */
const SHORT_LIVED = { durable: false };
/** A session without a hook for this long is forgotten. */
const FORGOTTEN_MS = 30 * 24 * 60 * 60 * 1000;

/** What is kept of a session between its hooks. No other hook of it can be at work meanwhile. */
export type HookSession = NonNullable<Awaited<ReturnType<typeof holdHookSession>>>;

/**
 * Waits for the hooks of the same session that are at work, as those of tools that run side by side are.
 *
 * @returns undefined when they have not ended within `patienceMs`
 */
export async function holdHookSession(
  contextDir: string,
  sessionId: string,
  { patienceMs, seal }: { readonly patienceMs: number; readonly seal: Seal },
) {
  const dir = folderOf(contextDir, sessionId);
  if (dir === undefined) return undefined;
  const path = dir.place(STATE);
  const holder = { ...processMark(process.pid), runId: crypto.randomUUID(), since: new Date().toISOString() };
  for (const end = Date.now() + patienceMs; ; await delay(PAUSE_MS)) {
    const lock = takeLock(dir, holder);
    if (lock !== undefined) {
      return {
        /** A JSON object; undefined: there is nothing yet, or nothing of ours. */
        read: () => readSealed(path, sessionId, seal),
        write: (json: string) => dir.write(STATE, asItIs(seal.close(json, purposeOf(sessionId))), SHORT_LIVED),
        /** Tokens of the context window, if the status line knows; hooks are not told. */
        window: () => Number(readPlain(dir.place(WINDOW), WINDOW_LIMIT)) || undefined,
        release: lock.release,
      };
    }
    if (Date.now() >= end) return undefined;
  }
}

/** The state of a session that is over, for its successor. */
export function readHookSession(contextDir: string, sessionId: string, seal: Seal): string | undefined {
  const dir = folderOf(contextDir, sessionId);
  return dir && readSealed(dir.place(STATE), sessionId, seal);
}

/** What is handed back as the person's own words must not have come with a repository. */
function readSealed(path: string, sessionId: string, seal: Seal): string | undefined {
  const text = readPlain(path, STATE_LIMIT);
  return text && seal.open(text, purposeOf(sessionId));
}

function purposeOf(sessionId: string): string {
  return `${HOOKS}/${sessionId}`;
}

function folderOf(contextDir: string, sessionId: string): ContextDir | undefined {
  return isSessionId(sessionId) ? openContextDir(contextDir).within(join(HOOKS, sessionId)) : undefined;
}

/** Leaves the size of the window for the hooks of a session; nothing where none are at work. */
export function noteWindow(contextDir: string, sessionId: string, tokens: number): void {
  const folder = join(contextDir, HOOKS, sessionId);
  if (!isSessionId(sessionId) || kindOf(folder) !== 'folder') return;
  const text = String(tokens);
  if (readPlain(join(folder, WINDOW), WINDOW_LIMIT) !== text)
    folderOf(contextDir, sessionId)?.write(WINDOW, asItIs(text), SHORT_LIVED);
}

/** Removes the state of sessions that ended long ago, and the notes about processes that have ended. */
export function sweepHooks(contextDir: string, now: number): void {
  const root = openContextDir(contextDir).within(HOOKS).path;
  for (const name of namesIn(root)) {
    const path = join(root, name);
    if (NOTE_FILE.test(name)) {
      const note = readNote(path);
      if (note === undefined || !isAlive(note)) removeFile(path);
    } else if (isSessionId(name) && kindOf(path) === 'folder') {
      const state = statsOf(join(path, STATE));
      if (state !== undefined && now - state.mtimeMs >= FORGOTTEN_MS) forget(contextDir, name);
    }
  }
}

function forget(contextDir: string, session: string): void {
  try {
    for (const { name, kind, isOurs } of everythingIn(contextDir, join(HOOKS, session))) {
      if (isOurs && kind === 'file') removeFile(join(contextDir, name));
    }
    rmdirSync(join(contextDir, HOOKS, session));
  } catch {
    // What is in the way, such as another hook's sweep or a foreign file, may be gone the next time.
  }
}

const NOTE_FILE = /^claude-\d+\.json$/;
/** Bytes; about 100 are usual. */
const NOTE_LIMIT = 4096;

/** Notes which session a running Claude Code is at. */
export function noteSessionOf(contextDir: string, claude: ProcessMark, session: string): void {
  openContextDir(contextDir)
    .within(HOOKS)
    .write(nameOf(claude), maskedJson({ ...claude, session }), SHORT_LIVED);
}

/** The session that it was at when that was noted last; undefined: nothing was. */
export function sessionOf(contextDir: string, claude: ProcessMark): string | undefined {
  const note = readNote(join(contextDir, HOOKS, nameOf(claude)));
  // Another process had the same number before.
  return note?.start === claude.start ? note?.session : undefined;
}

function nameOf({ pid }: ProcessMark): string {
  return `claude-${pid}.json`;
}

function readNote(path: string): (ProcessMark & { readonly session: string }) | undefined {
  const fields = fieldsOf(readJson(path, NOTE_LIMIT));
  const mark = asProcessMark(fields);
  const { session } = fields;
  return mark !== undefined && typeof session === 'string' ? { ...mark, session } : undefined;
}

import { constants } from 'node:fs';
import { join, resolve } from 'node:path';
import { fieldsOf, textsOf, timeOf } from '../../core/protocol/fields.ts';
import { CtxbError } from '../../errors.ts';
import { isLocked, takeLock } from '../files/lock.ts';
import {
  appendWhole,
  isFolder,
  kindOf,
  makeFolder,
  matchingNames,
  readJson,
  readPlain,
  removeFile,
  statsOf,
  withPlainFile,
} from '../files/plain-file.ts';
import { isTorn, readLines } from '../files/read-lines.ts';
import { replaceFile } from '../files/write-file.ts';
import { type ContextDir, fileName, openContextDir } from '../folders/context-dir.ts';
import { SESSION_FOLDER, SESSIONS, TEMPORARY_FILE } from '../folders/own-names.ts';
import { type DiskText, joinTexts, masked, maskedJson } from '../masks/disk-text.ts';

type SessionInfo = ReturnType<typeof describe>;

/** The sessions in a ctxb folder, newest first; empty if it does not exist. Writes nothing. */
export function listSessions(contextDir: string): SessionInfo[] {
  const root = resolve(contextDir);
  const folder = join(root, SESSIONS);
  if (!isFolder(root) || !isFolder(folder)) return [];
  return matchingNames(folder, SESSION_FOLDER)
    .filter((name) => kindOf(join(folder, name)) === 'folder')
    .sort()
    .map((name) => describe(name, join(folder, name)))
    .sort((a, b) => b.changed - a.changed);
}

/** The session with this id, else the only one whose id begins with it. @throws CtxbError `usage` if none or several do */
export function findSession(contextDir: string, idOrPrefix: string): SessionInfo {
  const sessions = listSessions(contextDir);
  const found = sessionWithId(sessions, idOrPrefix) ?? sessionWithPrefix(sessions, idOrPrefix);
  if (found !== undefined) return found;
  const what = `not a recording, and no session in ${contextDir} has an id that begins with it`;
  throw new CtxbError('usage', `${idOrPrefix}: ${what}: see ${join(contextDir, SESSIONS)}`);
}

function describe(id: string, path: string) {
  const { ids, updatedAt } = readSessionFile(path);
  return {
    id,
    ids: ids.length > 0 ? ids : [id],
    path,
    /** Milliseconds since the epoch. The folder's own time is that of the copy, if it was copied. */
    changed: updatedAt ?? statsOf(path)?.mtimeMs ?? 0,
    /** Whether a living process has it open. */
    running: isLocked(path),
  };
}

/**
 * The session with this id. A run that found the folder locked has a second folder with the same id; the main folder
 * comes first.
 */
function sessionWithId(sessions: readonly SessionInfo[], id: string): SessionInfo | undefined {
  const matching = sessions.filter(({ ids }) => ids.includes(id));
  return sessions.find((session) => session.id === id) ?? matching.find(isMain) ?? matching[0];
}

function sessionWithPrefix(sessions: readonly SessionInfo[], prefix: string): SessionInfo | undefined {
  if (prefix === '') return undefined;
  const matching = sessions.filter(({ id, ids }) => [id, ...ids].some((name) => name.startsWith(prefix)));
  const main = matching.filter(isMain);
  const [first, second] = main.length > 0 ? main : matching;
  if (second === undefined) return first;
  const names = matching.map(({ id }) => id).join(', ');
  throw new CtxbError('usage', `several sessions begin with ${prefix} (${names}): give more of the id`);
}

function isMain({ id }: SessionInfo): boolean {
  return !id.includes('.');
}

/** The index, also copied to a place where an agent finds it without knowing the session. */
const INDEX = 'scratch.md';
const INDEX_LIMIT = 1024 * 1024;

/** Reads the newest index. Throws `usage` if the folder has no notes. */
export function readIndex(folder: string): string {
  const path = join(folder, INDEX);
  const text = kindOf(folder) === 'folder' ? readPlain(path, INDEX_LIMIT) : undefined;
  if (text !== undefined) return text;
  const newest = listSessions(folder).find((session) => kindOf(join(session.path, INDEX)) === 'file');
  const remedy =
    newest === undefined
      ? 'ctxb run keeps notes, and ctxb scratch RECORDING makes them'
      : `the newest session with notes is ${newest.id}: ctxb scratch ${newest.id.slice(0, 8)}`;
  throw new CtxbError('usage', `${path} does not exist: ${remedy}`);
}

const SESSION_FILE = 'session.json';
/** Maximum bytes of a session file: some 1,500 of claude's ids. */
const LIMIT = 64 * 1024;

const SESSION_ID = /^[\w-]{1,64}$/;
/** Whether an id can be the name of a folder. Ids come from a stream, so not all can. */
function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

/** Reads `session.json`. `ids` are claude's: `/clear` starts a new one. They are empty if the file is missing or damaged. */
function readSessionFile(folder: string) {
  const { ids, updatedAt } = fieldsOf(readJson(join(folder, SESSION_FILE), LIMIT));
  return { ids: textsOf(ids), updatedAt: timeOf(updatedAt) };
}

const NOTES_LIMIT = 64 * 1024 * 1024;

const DOCUMENTS = ['handoffs', 'tool-results', 'prompts'];

/** Writes a handoff to a new file. A second one of the same time gets a number. Returns the absolute path. */
export function writeHandoff(contextDir: string, t: number, document: string): string {
  // A sortable time that any file system accepts as a name: `2026-11-21T08-54-03-123Z`.
  const time = new Date(t).toISOString().replace(/[:.]/g, '-');
  return openContextDir(contextDir).create(join('handoffs', `handoff-${time}`), '.md', masked(document));
}

/** Documents of all sessions: handoffs, long prompts and whole results of tools. Writes nothing. */
export function keptDocuments(contextDir: string) {
  if (kindOf(contextDir) !== 'folder') return [];
  const files = DOCUMENTS.flatMap((name) =>
    matchingNames(join(contextDir, name)).map((file) => join(contextDir, name, file)),
  );
  return files.flatMap((file) => {
    const stats = statsOf(file);
    return stats?.isFile() ? [{ file, changed: stats.mtimeMs, read: () => readPlain(file, NOTES_LIMIT) ?? '' }] : [];
  });
}

/** The entries of a session's memory, one per line, from which its other files are made. */
export const MEMORY_LOG = 'memory.ndjson';

/** Options for files that every turn rewrites. Most of them can be made again from the log. */
const REWRITTEN = { durable: false };

/** Locked against other processes. Every method throws when the disk is full or a foreign file is in the way. */
export type SessionFolder = ReturnType<typeof openSessionFolder>;

/**
 * Locks the folder of a session until it is closed or the process ends.
 *
 * @param id any of claude's ids of the session; if it is not a valid file name, the run's id is used
 */
export function openSessionFolder(contextDir: string, id: string, runId: string) {
  const root = openContextDir(contextDir);
  const name = isSessionId(id) ? id : fileName(runId);
  const home = sessionWithId(listSessions(contextDir), name)?.id ?? name;
  const own = `${home.split('.')[0]}.${fileName(runId).slice(0, 8)}`;
  for (const id of [home, own]) {
    const dir = openContextDir(contextDir, join(SESSIONS, id));
    dir.place(SESSION_FILE);
    const lock = takeLock(dir, runId);
    if (lock === undefined) continue;
    try {
      return {
        path: dir.path,
        /** The folder's name, which is the first of the session's ids unless the folder is `contested`. */
        id,
        /** Whether another process has the session open. Then this folder is the run's own, and starts empty. */
        contested: id !== home,
        ...useFolder(root, dir, name),
        /** Releases the lock. Write nothing afterwards, because another process may be writing. */
        close: lock.release,
      };
    } catch (error) {
      lock.release();
      throw error;
    }
  }
  throw new CtxbError('store', `${join(root.path, SESSIONS, own)} is open in another process: wait until it ends`);
}

function useFolder(root: ContextDir, dir: ContextDir, name: string) {
  sweep(dir, Number.POSITIVE_INFINITY);
  // A recent temporary file may belong to another run that is still writing it.
  sweep(root, Date.now() - ABANDONED_AFTER_MS);
  // Ends the line of a killed process. Refuses a link or a folder before the work begins.
  if (isTorn(dir.place(MEMORY_LOG))) dir.append(MEMORY_LOG, joinTexts([]));
  const ids = new Set(readSessionFile(dir.path).ids);

  function save(): void {
    const file = { v: 1, ids: [...ids], updatedAt: new Date().toISOString() };
    dir.write(SESSION_FILE, joinTexts([maskedJson(file)], '\n'), REWRITTEN);
  }

  /** Ignores an invalid id. */
  function alias(id: string): void {
    if (!isSessionId(id) || ids.has(id)) return;
    ids.add(id);
    save();
  }

  alias(name);
  return {
    /** The complete lines of the log, without newlines, read one at a time. */
    logLines: () => readLines(dir.place(MEMORY_LOG)),
    /** Appends all of the lines or none. */
    append: dir.append,
    /** Replaces a file atomically, in bounded memory. */
    rewrite: (file: string, chunks: Iterable<DiskText>) => dir.write(file, chunks, REWRITTEN),
    sizeOf: (file: string) => statsOf(dir.place(file))?.size ?? 0,
    /** Writes `scratch.md`, both here and in the folder above all sessions. */
    writeIndex(text: DiskText): void {
      dir.write(INDEX, text, REWRITTEN);
      root.write(INDEX, text, REWRITTEN);
      // The file may have been removed in the meantime.
      save();
    },
    alias,
  };
}

function sweep(dir: ContextDir, before: number): void {
  for (const name of matchingNames(dir.path, TEMPORARY_FILE)) {
    const path = join(dir.path, name);
    const stats = statsOf(path);
    if (stats?.isFile() && stats.mtimeMs < before) removeFile(path);
  }
}

/** Milliseconds. Replacing a file takes a few, so an older temporary file is abandoned. */
const ABANDONED_AFTER_MS = 60_000;

/** Opens a folder for notes, which must be new or empty. */
export function openNotesFolder(path: string) {
  makeFolder(path);
  if (matchingNames(path).length > 0) throw new CtxbError('store', `${path} is not empty: name a new folder`);
  const { O_WRONLY, O_APPEND, O_CREAT } = constants;
  return {
    append: (file: string, text: string) =>
      withPlainFile(join(path, file), O_WRONLY | O_APPEND | O_CREAT, (fd, { size }) =>
        appendWhole(fd, masked(text), size),
      ),
    finish: (index: string) => replaceFile(join(path, INDEX), [masked(index)]),
  };
}

import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fieldsOf, textsOf, timeOf } from '../../core/protocol/fields.ts';
import { CtxbError } from '../../errors.ts';
import { isLocked } from '../files/lock.ts';
import { isFolder, kindOf, namesIn, readJson, readPlain, statsOf } from '../files/plain-file.ts';
import { orStoreError } from '../files/store-error.ts';
import { SESSION_FOLDER, SESSIONS } from '../folders/own-names.ts';

/** A session with its memory in a ctxb folder. */
type SessionInfo = ReturnType<typeof describe>;

/** The sessions in a ctxb folder, newest first; empty if it does not exist. Writes nothing. */
export function listSessions(contextDir: string): SessionInfo[] {
  const root = resolve(contextDir);
  const folder = join(root, SESSIONS);
  if (!isFolder(root) || !isFolder(folder)) return [];
  return namesIn(folder)
    .filter((name) => SESSION_FOLDER.test(name) && kindOf(join(folder, name)) === 'folder')
    .map((name) => describe(name, join(folder, name)))
    .sort((a, b) => Date.parse(b.updatedAt) - Date.parse(a.updatedAt) || (a.id < b.id ? -1 : 1));
}

/** The session with this id, else the only one whose id begins with it. @throws CtxbError `usage` if none or several do */
export function findSession(contextDir: string, idOrPrefix: string): SessionInfo {
  const sessions = listSessions(contextDir);
  const found = sessionWithId(sessions, idOrPrefix) ?? sessionWithPrefix(sessions, idOrPrefix);
  if (found !== undefined) return found;
  const what = `no recording, and no session in ${contextDir} has an id that begins so`;
  throw new CtxbError('usage', `${idOrPrefix}: ${what}: see ${join(contextDir, SESSIONS)}`);
}

function describe(id: string, path: string) {
  const file = readSessionFile(path);
  return {
    id,
    ids: file?.ids ?? [id],
    path,
    updatedAt: file?.updatedAt ?? orStoreError(path, () => lstatSync(path).mtime.toISOString()),
    /** Whether a living process has it open. */
    running: isLocked(path),
  };
}

/** A run that found the session's folder locked has a second folder with the same id; the main folder is preferred. */
export function sessionWithId(sessions: readonly SessionInfo[], id: string): SessionInfo | undefined {
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
export const INDEX = 'scratch.md';
/** Maximum bytes to read; every index is shorter. */
const INDEX_LIMIT = 1024 * 1024;

/** Reads the newest index. Throws `usage` if the folder has no notes. */
export function readIndex(folder: string): string {
  const path = join(folder, INDEX);
  const text = kindOf(folder) === 'folder' ? readPlain(path, INDEX_LIMIT) : undefined;
  if (text !== undefined) return text;
  const newest = listSessions(folder).find((session) => kindOf(join(session.path, INDEX)) === 'file');
  const remedy =
    newest === undefined
      ? 'ctxb run keeps notes, ctxb scratch RECORDING makes them'
      : `the newest session with notes is ${newest.id}: ctxb scratch ${newest.id.slice(0, 8)}`;
  throw new CtxbError('usage', `${path} does not exist: ${remedy}`);
}

export const SESSION_FILE = 'session.json';
/** Maximum bytes to read, enough for some 1,500 of claude's ids. */
const LIMIT = 64 * 1024;

const SESSION_ID = /^[\w-]{1,64}$/;
/** Whether an id can be the name of a folder. Ids come from a stream, so not all can. */
export function isSessionId(id: string): boolean {
  return SESSION_ID.test(id);
}

/**
 * The data about a session that can be read without its memory. `ids` are claude's: `/clear` starts a new one. Undefined
 * if the file is missing, damaged or not a regular file.
 */
export function readSessionFile(folder: string) {
  const { ids: all, startedAt, updatedAt } = fieldsOf(readJson(join(folder, SESSION_FILE), LIMIT));
  const ids = textsOf(all);
  const isWhole = ids.length > 0 && [startedAt, updatedAt].every((t) => timeOf(t) !== undefined);
  return isWhole ? { ids, startedAt: String(startedAt), updatedAt: String(updatedAt) } : undefined;
}

/** Maximum bytes to read from a file. */
const NOTES_LIMIT = 64 * 1024 * 1024;

/** Folders whose files are documents of their own. */
const DOCUMENTS = ['handoffs', 'tool-results', 'prompts'];

/**
 * The files in a ctxb folder that record work: documents, complete results of tools, and the memory of each session.
 * Empty if the folder does not exist. Writes nothing.
 */
export function noteTexts(contextDir: string) {
  if (kindOf(contextDir) !== 'folder') return [];
  const documents = DOCUMENTS.map((name) => join(contextDir, name)).flatMap((folder) =>
    namesIn(folder).map((name) => textIn(join(folder, name), undefined)),
  );
  const memories = listSessions(contextDir).map(({ path, id }) => textIn(join(path, 'memory.ndjson'), id));
  return [...documents, ...memories].flatMap((text) => text ?? []);
}

/** @param session claude's id of the session; undefined for a document that belongs to no single session */
function textIn(file: string, session: string | undefined) {
  const stats = statsOf(file);
  if (!stats?.isFile()) return undefined;
  return { file, session, changed: stats.mtimeMs, read: () => readPlain(file, NOTES_LIMIT) ?? '' };
}

import { readdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { CtxbError } from '../errors.ts';
import { IGNORE_ALL } from './context-dir.ts';
import { HOOKS } from './hook-sessions.ts';
import { liveInboxes } from './inbox.ts';
import { isLocked } from './lock.ts';
import { kindOf, readPlain } from './plain-file.ts';
import { LEFTOVER } from './replace-file.ts';
import { SESSION_FOLDER, SESSIONS } from './session-file.ts';
import { listSessions } from './sessions.ts';
import { errorCode, orStoreError } from './store-error.ts';

const IGNORE = '.gitignore';

/** Everything that ctxb makes in its folder. What is not here is somebody else's. */
export const KNOWN: Readonly<Record<string, 'file' | 'folder'>> = {
  'scratch.md': 'file',
  'journal.ndjson': 'file',
  'mailbox.ndjson': 'file',
  'health.ndjson': 'file',
  'cost.ndjson': 'file',
  [IGNORE]: 'file',
  [SESSIONS]: 'folder',
  prompts: 'folder',
  inbox: 'folder',
  [HOOKS]: 'folder',
  handoffs: 'folder',
  runs: 'folder',
  flows: 'folder',
  receipts: 'folder',
  'tool-results': 'folder',
};

/** What was done, as names in the folder (`journal.ndjson`, `sessions/<id>`). */
export interface Cleanup {
  readonly removed: string[];
  /** Foreign things, which stay. */
  readonly left: string[];
  /** Ids of sessions (of runs, if they have no session yet) that stay because a living process has them open. */
  readonly running: string[];
}

export interface CleanupOptions {
  /** Remove only the sessions beyond the newest so many, and nothing else. */
  readonly keep?: number;
  /** Default: the process's. */
  readonly cwd?: string;
  /** Default: the user's. */
  readonly home?: string;
}

/**
 * Removes what ctxb keeps in its folder, and the folder when nothing else is in it. Links are never followed. While a
 * run has it open, only the sessions that are over go, as the rest may be needed by the run.
 *
 * @throws CtxbError `store` when the folder is not ctxb's, or one that is never removed; `usage` for a bad `keep`
 */
export function cleanContextDir(contextDir: string, options: CleanupOptions = {}): Cleanup {
  const root = resolve(contextDir);
  const result: Cleanup = { removed: [], left: [], running: [] };
  if (options.keep !== undefined) checkCount(options.keep);
  if (kindOf(root) === 'missing') return result;
  refuseDangerous(root, options);
  refuseForeignFolder(root);
  if (options.keep === undefined) cleanAll(root, result);
  else cleanOldest(root, options.keep, result);
  return result;
}

function checkCount(keep: number): void {
  if (Number.isSafeInteger(keep) && keep >= 0) return;
  throw new CtxbError('usage', `keep: expected a whole number of sessions, found ${keep}: for instance 5`);
}

function refuseDangerous(root: string, { cwd = process.cwd(), home = homedir() }: CleanupOptions): void {
  const kind = kindOf(root);
  if (kind !== 'folder') throw new CtxbError('store', `${root} is a ${kind}, not a folder: remove it yourself`);
  const real = realPath(root);
  for (const folder of [realPath(cwd), realPath(home)]) {
    if (folder !== real && !folder.startsWith(real.endsWith(sep) ? real : real + sep)) continue;
    throw new CtxbError('store', `${root} holds the working folder or your home: name the folder that ctxb made`);
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** `scratch.md` and names of folders are no proof: others call theirs so too. */
function refuseForeignFolder(root: string): void {
  const ours = namesIn(root).some((name) =>
    name === IGNORE ? isOurIgnore(root) : name.endsWith('.ndjson') && isKnown(root, name),
  );
  if (ours) return;
  throw new CtxbError('store', `${root} is not a folder that ctxb made: name another or remove it yourself`);
}

function isOurIgnore(root: string): boolean {
  const path = join(root, IGNORE);
  return kindOf(path) === 'file' && readPlain(path, IGNORE_ALL.length + 1) === IGNORE_ALL;
}

function cleanOldest(root: string, keep: number, result: Cleanup): void {
  for (const { id, path, running } of sessionsIn(root).slice(keep)) {
    if (running) result.running.push(id);
    else remove(path, `${SESSIONS}/${id}`, result);
  }
}

function cleanAll(root: string, result: Cleanup): void {
  cleanSessions(root, result);
  if (result.running.length === 0) result.running.push(...liveInboxes(root).map(runOf));
  // .gitignore goes last: until then a clean-up that was interrupted can be done again.
  const names = namesIn(root).sort((a, b) => Number(a === IGNORE) - Number(b === IGNORE));
  for (const name of names) {
    if (!isKnown(root, name)) result.left.push(name);
    else if (result.running.length === 0 && !isSessionsFolder(root, name)) remove(join(root, name), name, result);
  }
  removeIfEmpty(root);
}

function runOf(inbox: string): string {
  return inbox.slice(inbox.lastIndexOf(sep) + 1, -'.ndjson'.length);
}

/** Whether it has the name and the kind of something ctxb makes; a link in such a place is removed itself. */
function isKnown(root: string, name: string): boolean {
  const kind = kindOf(join(root, name));
  if (name === IGNORE && kind === 'file') return isOurIgnore(root);
  const expected = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  if (expected !== undefined) return kind === expected || kind === 'symbolic link';
  const origin = LEFTOVER.exec(name)?.[1] ?? '';
  return kind === 'file' && Object.hasOwn(KNOWN, origin) && KNOWN[origin] === 'file';
}

function isSessionsFolder(root: string, name: string): boolean {
  return name === SESSIONS && kindOf(join(root, name)) === 'folder';
}

function sessionsIn(root: string) {
  return isSessionsFolder(root, SESSIONS) ? listSessions(root) : [];
}

function cleanSessions(root: string, result: Cleanup): void {
  const folder = join(root, SESSIONS);
  if (!isSessionsFolder(root, SESSIONS)) return;
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const kind = kindOf(path);
    if (!SESSION_FOLDER.test(name) || (kind !== 'folder' && kind !== 'symbolic link')) {
      result.left.push(`${SESSIONS}/${name}`);
    } else if (kind === 'folder' && isLocked(path)) result.running.push(name);
    else remove(path, `${SESSIONS}/${name}`, result);
  }
  removeIfEmpty(folder);
}

function namesIn(folder: string): string[] {
  return orStoreError(folder, () => readdirSync(folder)).sort();
}

function remove(path: string, name: string, result: Cleanup): void {
  orStoreError(path, () => rmSync(path, { recursive: true, force: true }));
  result.removed.push(name);
}

function removeIfEmpty(folder: string): void {
  orStoreError(folder, () => {
    try {
      rmdirSync(folder);
    } catch (error) {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errorCode(error) ?? '')) throw error;
    }
  });
}

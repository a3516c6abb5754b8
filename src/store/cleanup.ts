import { rmdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, resolve, sep } from 'node:path';
import { CtxbError } from '../errors.ts';
import { isInside, kindOf, matchingNames, realPath, removeFile } from './files/plain-file.ts';
import { ignoreErrors, orStoreError } from './files/store-error.ts';
import { requireOwn } from './folders/context-dir.ts';
import { FOLDER_MARK, type FolderEntry, GITIGNORE, listFolder, SESSIONS } from './folders/own-names.ts';
import { liveFlowRuns } from './runs/flow-run.ts';
import { liveInboxes } from './runs/inbox.ts';
import { type LinkedRun, liveRuns } from './runs/journal.ts';
import { listSessions } from './sessions/sessions.ts';

/**
 * The files that a clean-up removes and keeps. Paths are relative to the folder (`journal.ndjson`, `sessions/<id>`).
 */
export type CleanupPlan = ReturnType<typeof planCleanup>;

/** A session, or another entry at the top of the folder. */
export interface Removal {
  readonly name: string;
  /** The entry's files and folders that ctxb made, contents before their folder. */
  readonly parts: readonly FolderEntry[];
}

export interface CleanupOptions {
  /** Keep this many of the newest sessions and remove only the older ones. */
  readonly keep?: number | undefined;
  readonly unfinished?: readonly LinkedRun[];
  /** The working folder, which is never removed. */
  readonly cwd: string;
  /** Default: the user's home folder. */
  readonly home?: string;
}

/**
 * Plans the removal of files with ctxb's names, and of the folder if nothing else is in it. Never follows links. While
 * a run uses the folder or can be continued, removes only completed sessions, because the run may need the rest.
 *
 * @throws CtxbError `store` when ctxb did not make the folder, or must never remove it
 */
export function planCleanup(contextDir: string, options: CleanupOptions) {
  const root = resolve(contextDir);
  if (kindOf(root) === 'missing')
    return { root, remove: [], removesFolder: false, left: [], running: [], unfinished: [] };
  refuseDangerous(root, options);
  requireOwn(root);
  const { keep, unfinished = [] } = options;
  const old = sessionsIn(root).slice(keep);
  const active = old.flatMap((session) => (session.running ? [session.id] : []));
  const running = keep === undefined && active.length === 0 ? runningWithoutSession(root) : active;
  const needed = [...running, ...sessionsOf(unfinished)];
  const removable = old.filter(({ id }) => !needed.includes(id)).map(({ id }) => join(SESSIONS, id));
  const isFree = keep === undefined && running.length + unfinished.length === 0;
  const foreign = [...listFolder(root)].filter(({ isOurs }) => !isOurs).map(({ name }) => name);
  const left = keep === undefined ? foreign : [];
  return {
    root,
    remove: removalsIn(root).filter(({ name }) => isFree || removable.includes(name)),
    /** Whether the folder would be empty, so that it is removed too. */
    removesFolder: isFree && left.length === 0,
    /** Foreign files and folders, which are kept. */
    left,
    /** Ids of sessions that a living process uses, and of runs and flows that have no session yet. */
    running,
    /** Ids of runs that are kept because prompts have no answer. */
    unfinished: unfinished.map(({ runId }) => runId),
  };
}

function refuseDangerous(root: string, { cwd, home = homedir() }: CleanupOptions): void {
  const kind = kindOf(root);
  if (kind !== 'folder') throw new CtxbError('store', `${root} is a ${kind}, not a folder: remove it yourself`);
  const real = realPath(root);
  for (const folder of [realPath(cwd), realPath(home)]) {
    if (folder !== real && !isInside(real, folder)) continue;
    throw new CtxbError('store', `${root} holds the working folder or your home: name the folder that ctxb made`);
  }
}

function sessionsOf(runs: readonly LinkedRun[]): string[] {
  return runs.flatMap(({ sessions }) => sessions.map(({ id }) => id));
}

/**
 * Ids of the runs and flows in the folder without a session: a flow between two steps, a starting run, a run without
 * notes.
 */
function runningWithoutSession(root: string): string[] {
  const runs = [
    ...liveInboxes(root).map((inbox) => basename(inbox, '.ndjson')),
    ...liveRuns(root).map(({ runId }) => runId),
  ];
  return [...new Set(runs), ...liveFlowRuns(root)];
}

/**
 * The sessions of the folder, newest first. All sessions of an active run count as running, even if no process has them
 * open.
 */
function sessionsIn(root: string) {
  const live = new Set(sessionsOf(liveRuns(root)));
  return listSessions(root).map(({ id, ids, running }) => ({
    id,
    running: running || ids.some((each) => live.has(each)),
  }));
}

/** All of ctxb's files, except those that mark the folder as ctxb's. */
function removalsIn(root: string): Removal[] {
  const removals = new Map<string, FolderEntry[]>();
  for (const found of listFolder(root)) {
    const [first = '', second] = found.name.split(sep);
    if (!found.isOurs || first === FOLDER_MARK || first === GITIGNORE) continue;
    const name = first === SESSIONS && second !== undefined ? join(first, second) : first;
    const parts = removals.get(name) ?? [];
    parts.push(found);
    removals.set(name, parts);
  }
  return [...removals].map(([name, parts]) => ({ name, parts }));
}

export function carryOutCleanup({ root, remove, removesFolder }: CleanupPlan): void {
  for (const { parts } of remove) {
    for (const { name, kind } of parts) {
      if (kind === 'folder') removeIfEmpty(join(root, name));
      else removeFile(join(root, name));
    }
  }
  if (!removesFolder) return;
  // Remove the mark last, so that an interrupted clean-up can be repeated.
  const marks = matchingNames(root)
    .filter((name) => name.startsWith(GITIGNORE) || name.startsWith(FOLDER_MARK))
    .sort();
  for (const name of marks) removeFile(join(root, name));
  removeIfEmpty(root);
}

function removeIfEmpty(folder: string): void {
  orStoreError(folder, () => ignoreErrors(['ENOTEMPTY', 'EEXIST', 'ENOENT'], () => rmdirSync(folder)));
}

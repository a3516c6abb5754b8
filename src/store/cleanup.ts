import { rmdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join, resolve, sep } from 'node:path';
import { CtxbError } from '../errors.ts';
import { kindOf, namesIn, realPath, removeFile } from './files/plain-file.ts';
import { ignoring, orStoreError } from './files/store-error.ts';
import { requireOwn } from './folders/context-dir.ts';
import { everythingIn, type Found, IGNORE, MARK, SESSIONS } from './folders/own-names.ts';
import { liveFlowRuns } from './runs/flow-run.ts';
import { liveInboxes } from './runs/inbox.ts';
import { liveRuns } from './runs/session-store.ts';
import { listSessions } from './sessions/sessions.ts';

/** The effects of a clean-up, as names in the folder (`journal.ndjson`, `sessions/<id>`). */
export interface CleanupPlan {
  readonly root: string;
  readonly remove: readonly Removal[];
  /** Nothing stays in the folder, so it goes as well. */
  readonly removesFolder: boolean;
  /** Foreign things, which stay. */
  readonly left: readonly string[];
  /** Ids of sessions (of runs and flows, if they have no session now) that stay because a living process has them open. */
  readonly running: readonly string[];
}

/** A session, or something else right in the folder. */
export interface Removal {
  readonly name: string;
  /** All that is ctxb's in it, and it itself, what is in a folder before the folder. */
  readonly parts: readonly Found[];
}

export interface CleanupOptions {
  /** Keep this many of the newest sessions, remove the older ones, and nothing else. */
  readonly keep?: number;
  /** The working folder, which is never removed. */
  readonly cwd: string;
  /** Default: the user's. */
  readonly home?: string;
}

/**
 * The files in ctxb's folder that can go: only files with ctxb's names, and the folder if nothing else is in it. Never
 * follows links. While a run has the folder open, only completed sessions go, because the run may need the rest.
 *
 * @throws CtxbError `store` when the folder is not ctxb's, or one that is never removed; `usage` for a bad `keep`
 */
export function planCleanup(contextDir: string, options: CleanupOptions): CleanupPlan {
  const root = resolve(contextDir);
  if (options.keep !== undefined) checkCount(options.keep);
  if (kindOf(root) === 'missing') return { ...NOTHING, root };
  refuseDangerous(root, options);
  requireOwn(root);
  return options.keep === undefined ? planAll(root) : planOldest(root, options.keep);
}

const NOTHING = { remove: [], removesFolder: false, left: [], running: [] };

function checkCount(keep: number): void {
  if (Number.isSafeInteger(keep) && keep >= 0) return;
  throw new CtxbError('usage', `keep: expected a whole number of sessions, found ${keep}: for instance 5`);
}

function refuseDangerous(root: string, { cwd, home = homedir() }: CleanupOptions): void {
  const kind = kindOf(root);
  if (kind !== 'folder') throw new CtxbError('store', `${root} is a ${kind}, not a folder: remove it yourself`);
  const real = realPath(root);
  for (const folder of [realPath(cwd), realPath(home)]) {
    if (folder !== real && !folder.startsWith(real.endsWith(sep) ? real : real + sep)) continue;
    throw new CtxbError('store', `${root} holds the working folder or your home: name the folder that ctxb made`);
  }
}

function planOldest(root: string, keep: number): CleanupPlan {
  const old = sessionsIn(root).slice(keep);
  const running = old.filter((session) => session.running).map(({ id }) => id);
  const names = new Set(old.map(({ id }) => join(SESSIONS, id)).filter((name) => !running.includes(basename(name))));
  return { ...NOTHING, root, remove: removalsIn(root).filter(({ name }) => names.has(name)), running };
}

function planAll(root: string): CleanupPlan {
  const running = runningIn(root);
  const left = [...everythingIn(root)].filter(({ isOurs }) => !isOurs).map(({ name }) => name);
  const mayGo = ({ name }: Removal) => name.startsWith(SESSIONS + sep) && !running.includes(basename(name));
  const remove = removalsIn(root).filter((removal) => running.length === 0 || mayGo(removal));
  return { root, remove, removesFolder: left.length === 0 && running.length === 0, left, running };
}

/** A flow has no session between two steps, nor a run in its beginning, nor one that keeps no notes. */
function runningIn(root: string): string[] {
  const sessions = sessionsIn(root).flatMap(({ id, running }) => (running ? [id] : []));
  if (sessions.length > 0) return sessions;
  const runs = [
    ...liveInboxes(root).map((inbox) => basename(inbox, '.ndjson')),
    ...liveRuns(root).map(({ runId }) => runId),
  ];
  return [...new Set(runs), ...liveFlowRuns(root)];
}

/** Newest first. The session of a run that can be resumed counts as active, although no process has it open. */
function sessionsIn(root: string) {
  const live = new Set(liveRuns(root).flatMap(({ sessions }) => sessions));
  return listSessions(root).map(({ id, ids, running }) => ({
    id,
    running: running || ids.some((each) => live.has(each)),
  }));
}

/** All that is ctxb's, but for what says that the folder is. */
function removalsIn(root: string): Removal[] {
  const removals = new Map<string, Found[]>();
  for (const found of everythingIn(root)) {
    const [first = '', second] = found.name.split(sep);
    if (!found.isOurs || first === MARK || first === IGNORE) continue;
    const name = first === SESSIONS && second !== undefined ? join(first, second) : first;
    const parts = removals.get(name) ?? [];
    parts.push(found);
    removals.set(name, parts);
  }
  return [...removals].map(([name, parts]) => ({ name, parts }));
}

/** Removes what was planned. */
export function carryOutCleanup({ root, remove, removesFolder }: CleanupPlan): void {
  for (const { parts } of remove) {
    for (const { name, kind } of parts) {
      if (kind === 'folder') removeIfEmpty(join(root, name));
      else removeFile(join(root, name));
    }
  }
  if (!removesFolder) return;
  // The mark goes last: until then a clean-up that was interrupted can be done again.
  const marks = namesIn(root)
    .filter((name) => name.startsWith(IGNORE) || name.startsWith(MARK))
    .sort();
  for (const name of marks) removeFile(join(root, name));
  removeIfEmpty(root);
}

function removeIfEmpty(folder: string): void {
  orStoreError(folder, () => ignoring(['ENOTEMPTY', 'EEXIST', 'ENOENT'], () => rmdirSync(folder)));
}

import { randomUUID } from 'node:crypto';
import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../core/protocol/fields.ts';
import { CtxbError, orElse } from '../../errors.ts';
import { type ContextDir, fileName, openContextDir } from '../folders/context-dir.ts';
import { unmaskedText } from '../masks/disk-text.ts';
import { kindOf, matchingNames, readPlain, removeFile } from './plain-file.ts';
import { isAlive, type ProcessMark, processMark, readProcessMark } from './process-mark.ts';
import { writeNewFile } from './write-file.ts';

const LOCK = /^lock\.[\w-]{1,64}$/;
/** Maximum size of a lock file in bytes; ctxb's locks have about 40. */
const LIMIT = 4096;
const ATTEMPTS = 20;

export interface Lock {
  release(): void;
}

/**
 * Takes the lock of a folder, unless a living process has it. Replaces the lock of a killed process. A lock is a file
 * `lock.<run>`, created with its text. A run creates its own file and then lists the others. It steps back if another
 * run is alive. Every run writes before it lists, so two runs never both have the lock. All names differ, so removing a
 * dead lock never removes a new one.
 *
 * @returns undefined when another process has it
 */
export function takeLock(folder: ContextDir, runId: string, mark = processMark(process.pid)): Lock | undefined {
  const own = folder.place(`lock.${fileName(runId)}`);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (locksIn(folder.path).some(isHeld)) return undefined;
    // Left by a dead run with the same id.
    removeFile(own);
    writeNewFile(own, unmaskedText(JSON.stringify(mark)), { durable: false });
    const others = locksIn(folder.path).filter(({ path }) => path !== own);
    if (!others.some(isHeld)) {
      for (const { path } of others) removeFile(path);
      return { release: () => release(own, mark) };
    }
    removeFile(own);
    // Two runs have stepped back for each other. Their process ids differ, so they try again at different times.
    pause(1 + ((mark.pid * attempt) % 23));
  }
  return undefined;
}

/** Whether a living process holds the folder's lock. Foreign files are ignored. */
export function isLocked(folder: string): boolean {
  return holderOf(folder) !== undefined;
}

function holderOf(folder: string): ProcessMark | undefined {
  const locks = lockPaths(folder).flatMap((path) =>
    kindOf(path) === 'file' ? [{ path, holder: readHolder(path) }] : [],
  );
  return locks.find(isHeld)?.holder;
}

function lockPaths(folder: string): string[] {
  return matchingNames(folder, LOCK).map((name) => join(folder, name));
}

/** The lock files of a folder. Without `holder`, the file is broken. */
function locksIn(folder: string) {
  return lockPaths(folder).map((path) => ({ path, holder: readHolder(path) }));
}

function readHolder(path: string): ProcessMark | undefined {
  return readProcessMark(parseJson(readPlain(path, LIMIT) ?? ''));
}

function isHeld({ holder }: ReturnType<typeof locksIn>[number]): boolean {
  return holder !== undefined && isAlive(holder);
}

/** The folder may have been removed and recreated: then the lock in it belongs to another run. */
function release(path: string, { pid }: ProcessMark): void {
  if (readHolder(path)?.pid === pid) removeFile(path);
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/**
 * Locks an unfinished run until this process exits. Call it before reading the run.
 *
 * @throws CtxbError `usage` when another process has the lock
 */
export function lockUnfinishedRun(contextDir: string, runId: string): void {
  const folder = openContextDir(contextDir, join('runs', fileName(runId)));
  // This process already holds it.
  if (holderOf(folder.path)?.pid === process.pid) return;
  const lock = lockRun(folder, runId);
  process.once('exit', () => {
    lock.release();
    removeIfEmpty(folder.path);
  });
}

/** Locks a run in its folder. @throws CtxbError `usage` when another process has the lock */
export function lockRun(folder: ContextDir, runId: string): Lock {
  const lock = takeLock(folder, randomUUID());
  if (lock !== undefined) return lock;
  const owner = holderOf(folder.path)?.pid;
  const otherProcess = owner === undefined ? 'another process' : `process ${owner}`;
  throw new CtxbError('usage', `run ${runId} is being resumed by ${otherProcess}: end that first`);
}

function removeIfEmpty(folder: string): void {
  // Ignore errors: another run may still use a folder.
  for (const path of [folder, join(folder, '..')]) orElse(() => rmdirSync(path), undefined);
}

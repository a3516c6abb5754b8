import { randomUUID } from 'node:crypto';
import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { CtxbError, orElse } from '../../errors.ts';
import { holderOf, type Lock, newHolder, takeLock } from '../files/lock.ts';
import { type ContextDir, fileName, openContextDir } from '../folders/context-dir.ts';

/**
 * Locks an unfinished run until this process exits. Call it before reading the run.
 *
 * @throws CtxbError `usage` when another process has the lock
 */
export function ownRun(contextDir: string, runId: string): void {
  const folder = openContextDir(contextDir).within(join('runs', fileName(runId)));
  // This process already holds it.
  if (holderOf(folder.path)?.pid === process.pid) return;
  const lock = lockRun(folder, runId);
  process.once('exit', () => {
    lock.release();
    removeIfEmpty(folder.path);
  });
}

/**
 * Takes the lock of a run's folder.
 *
 * @throws CtxbError `usage` when another process has the lock
 */
export function lockRun(folder: ContextDir, runId: string): Lock {
  const lock = takeLock(folder, newHolder(randomUUID(), Date.now()));
  if (lock !== undefined) return lock;
  const owner = holderOf(folder.path)?.pid;
  const who = owner === undefined ? 'another process' : `process ${owner}`;
  throw new CtxbError('usage', `run ${runId} is being resumed by ${who}: end that first`);
}

function removeIfEmpty(folder: string): void {
  // Another run may still use a folder.
  for (const path of [folder, join(folder, '..')]) orElse(() => rmdirSync(path), undefined);
}

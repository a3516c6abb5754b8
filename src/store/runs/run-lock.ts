import { randomUUID } from 'node:crypto';
import { rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { CtxbError } from '../../errors.ts';
import { holderOf, takeLock } from '../files/lock.ts';
import { processMark } from '../files/process-mark.ts';
import { fileName, openContextDir } from '../folders/context-dir.ts';

/**
 * Takes an unfinished run for as long as this process lives: whoever resumes it looks at it only then.
 *
 * @throws CtxbError `usage` when another process has it
 */
export function ownRun(contextDir: string, runId: string): void {
  const folder = openContextDir(contextDir).within(join('runs', fileName(runId)));
  // This process has waited for it.
  if (holderOf(folder.path)?.pid === process.pid) return;
  const lock = takeLock(folder, { ...processMark(process.pid), runId: randomUUID(), since: new Date().toISOString() });
  if (lock === undefined) {
    const owner = holderOf(folder.path)?.pid;
    const who = owner === undefined ? 'another process' : `process ${owner}`;
    throw new CtxbError('usage', `run ${runId} is being resumed by ${who}: end that first`);
  }
  process.once('exit', () => {
    lock.release();
    removeIfEmpty(folder.path);
  });
}

function removeIfEmpty(folder: string): void {
  for (const path of [folder, join(folder, '..')]) {
    try {
      rmdirSync(path);
    } catch {
      // Another run is in it.
    }
  }
}

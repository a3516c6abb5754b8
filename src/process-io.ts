import module from 'node:module';
import { join } from 'node:path';
import type { Io } from './io.ts';
import { cacheFolder } from './store/folders/user-folders.ts';

/** The process's own. Opening stdin costs time, and the current folder may be gone: both are looked at only when they are needed. */
export const processIo: Io = {
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  get cwd() {
    return process.cwd();
  },
};

/**
 * Node keeps what it has compiled for the next start, from version 22 on: 12 ms of processor time less. In a folder of the
 * user's own, as what is in it is run.
 */
export function keepCompiled(): void {
  const folder = cacheFolder(process.env);
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  if (folder !== undefined) enableCompileCache?.(join(folder, 'compiled'));
}

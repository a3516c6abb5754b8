import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A page of figures, a compiled part of the program, or a temporary file left by an interrupted write. */
const CACHE_FILE = /^[0-9a-f]{32}\.json(?:\.\d{1,10})?$|\.cjs-[\w.-]+$/;

/** Files in use are written again, so an older file belongs to a removed recording or an earlier version. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Removes old files from a cache folder. Touches only names that ctxb uses, because `XDG_CACHE_HOME` may name any
 * folder.
 *
 * @param max limit for all files together, in bytes: the oldest ones beyond it are removed too
 */
export function removeOldFiles(folder: string, max = Number.POSITIVE_INFINITY): void {
  const newestFirst = readdirSync(folder)
    .filter((name) => CACHE_FILE.test(name))
    .map((name) => join(folder, name))
    // Another process may have removed one.
    .map((path) => ({ path, size: 0, mtimeMs: 0, ...statSync(path, { throwIfNoEntry: false }) }))
    .sort((a, b) => b.mtimeMs - a.mtimeMs);
  let bytes = 0;
  for (const { path, size, mtimeMs } of newestFirst) {
    bytes += size;
    if (bytes > max || Date.now() - mtimeMs > MAX_AGE_MS) rmSync(path, { force: true });
  }
}

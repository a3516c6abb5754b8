import { createHash } from 'node:crypto';
import { join } from 'node:path';

/**
 * Where something is kept in a cache's folder.
 *
 * @param key everything that it depends on besides
 * @param of what it is of
 */
export function cachePath(folder: string, key: string, of: string): string {
  const name = createHash('sha256').update(`${key}\n${of}`).digest('hex').slice(0, 32);
  return join(folder, `${name}.json`);
}

/** What {@link cachePath} calls a file, or what is left of one that was being replaced. */
export const CACHE_FILE = /^[0-9a-f]{32}\.json(?:\.\d{1,10})?$/;

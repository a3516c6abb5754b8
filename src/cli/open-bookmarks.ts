import { type Bookmarks, createBookmarks } from '../replay/cache/bookmarks.ts';
import { openTextCache } from '../store/files/file-cache.ts';

/** Where something is kept, and everything that it depends on besides the recording. */
export interface CachePlace {
  readonly folder: string;
  readonly key: string;
}

export function openBookmarks({ folder, key }: CachePlace): Bookmarks {
  return createBookmarks({ store: openTextCache(folder, key) });
}

/** The bundle that a thread of `ctxb replay` runs, as seen from any other. It holds all that makes the judgement. */
export const WORKER_FILE = new URL('../cli/replay-worker.js', import.meta.url);

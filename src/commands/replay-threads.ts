import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ReplayOptions } from '../replay/replay.ts';
import { type Judged, replayAll } from '../replay/replay-all.ts';
import { bytesOf, type Source } from '../replay/sources.ts';
import { replayTogether } from '../replay/workers/replay-together.ts';
import type { Share } from '../replay/workers/share.ts';
import { type CachePlace, openBookmarks } from './open-bookmarks.ts';
import { WORKER_FILE } from './worker-file.ts';

/** Less than this is read before a thread has started. */
const WORTH_BYTES = 8 * 1024 * 1024;

/** What a thread is given. */
export interface WorkerTask {
  readonly share: Share;
  readonly cache: CachePlace | undefined;
}

/**
 * Judges recordings, on as many threads as there are processors where that is worth it.
 *
 * @param cache where it is kept how far they were read; undefined: all are read from their beginning
 */
export function replayOnThreads(
  sources: readonly Source[],
  given: ReplayOptions,
  cache: CachePlace | undefined,
): AsyncIterable<Judged> {
  const options = { ...given, bookmarks: cache && openBookmarks(cache) };
  const others = Math.min(availableParallelism(), sources.length) - 1;
  if (others < 1 || (bytesOf(sources) ?? 0) < WORTH_BYTES) return replayAll(sources, options);
  return replayTogether(sources, options, (share) =>
    Array.from(
      { length: others },
      () => new Worker(WORKER_FILE, { workerData: { share, cache } satisfies WorkerTask }),
    ),
  );
}

import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ReplayOptions } from '../replay/replay.ts';
import { type Judged, replayAll } from '../replay/replay-all.ts';
import { bytesOf, type Source } from '../replay/sources.ts';
import { replayTogether } from '../replay/workers/replay-together.ts';
import type { Share } from '../replay/workers/work.ts';
import { type CachePlace, openBookmarks, WORKER_FILE } from './open-bookmarks.ts';

/** Less than this is read before a thread has started. */
const WORTH_BYTES = 8 * 1024 * 1024;

/** Of a thread's memory for what is short-lived, which is nearly all of it: more is not faster, and each has its own. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 4 };

/** What a thread is given. */
export interface WorkerTask {
  readonly share: Share;
  readonly cache: CachePlace | undefined;
}

/**
 * Judges recordings, on two threads where that is worth it. A third and a fourth are 1.1 times as fast on four processors
 * (256 MB, best of eight alternating runs), take a quarter more of the processors' time, and 25 MB each.
 *
 * @param cache where it is kept how far they were read; undefined: all are read from their beginning
 */
export function replayOnThreads(
  sources: readonly Source[],
  given: ReplayOptions,
  cache: CachePlace | undefined,
): AsyncIterable<Judged> {
  const options = { ...given, bookmarks: cache && openBookmarks(cache) };
  const isLittle = sources.length < 2 || (bytesOf(sources) ?? 0) < WORTH_BYTES;
  if (isLittle || availableParallelism() < 2 || hasBoundAddresses()) return replayAll(sources, options);
  return replayTogether(sources, options, (share) => startWorker({ share, cache }));
}

/** undefined where the system allows no further thread. */
function startWorker(workerData: WorkerTask): Worker | undefined {
  try {
    return new Worker(WORKER_FILE, { workerData, resourceLimits: RESOURCE_LIMITS });
  } catch {
    return undefined;
  }
}

/** V8 reserves addresses for each thread, and aborts the whole process where `ulimit -v` forbids that. */
function hasBoundAddresses(): boolean {
  try {
    return /^Max address space +\d/m.test(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    // Systems without it have no such limit either.
    return false;
  }
}

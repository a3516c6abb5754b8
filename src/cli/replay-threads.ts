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
  const bytes = bytesOf(sources) ?? 0;
  const processors = availableParallelism();
  if (processors < 2 || bytes < WORTH_BYTES || hasBoundAddresses()) return replayAll(sources, options);
  const others = Math.min(processors, sources.length) - 1;
  if (others < 1) return replayAll(sources, options);
  return replayTogether(sources, options, (share) => startWorkers(others, { share, cache }));
}

/** As many as the system allows, which may be none. */
function startWorkers(count: number, workerData: WorkerTask): Worker[] {
  const workers: Worker[] = [];
  try {
    while (workers.length < count) {
      workers.push(new Worker(WORKER_FILE, { workerData, resourceLimits: RESOURCE_LIMITS }));
    }
  } catch {
    // Those that there are do all of it.
  }
  return workers;
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

import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { ReplayOptions } from '../replay/replay.ts';
import { type Judged, replayAll } from '../replay/replay-all.ts';
import { bytesOf, type Source } from '../replay/sources.ts';
import { replayTogether } from '../replay/workers/replay-together.ts';
import { WORKER_FILE } from './worker-file.ts';

/** Less than this is read before a thread has started. */
const WORTH_BYTES = 8 * 1024 * 1024;

/**
 * How long a function must have been running, in bytes of its code, before V8 makes it fast: by default a tenth of it.
 * There are so many here, and each thread compiles its own, that in 256 MB of recordings a third of the time went there.
 */
const PATIENCE = '--interrupt-budget=1000000';

/** Judges recordings, on as many threads as there are processors where that is worth it. */
export function replayOnThreads(sources: readonly Source[], options: ReplayOptions): AsyncIterable<Judged> {
  setFlagsFromString(PATIENCE);
  const others = Math.min(availableParallelism(), sources.length) - 1;
  if (others < 1 || (bytesOf(sources) ?? 0) < WORTH_BYTES) return replayAll(sources, options);
  return replayTogether(sources, options, (share) =>
    Array.from({ length: others }, () => new Worker(WORKER_FILE, { workerData: share })),
  );
}

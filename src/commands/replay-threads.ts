import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ReplayOptions } from '../replay/replay.ts';
import { type Judged, replayAll } from '../replay/replay-all.ts';
import { bytesOf, type Source } from '../replay/sources.ts';
import { replayTogether } from '../replay/workers/replay-together.ts';
import { WORKER_FILE } from './worker-file.ts';

/** Less than this is read before a thread has started. */
const WORTH_BYTES = 8 * 1024 * 1024;

/** Judges recordings, on as many threads as there are processors where that is worth it. */
export function replayOnThreads(sources: readonly Source[], options: ReplayOptions): AsyncIterable<Judged> {
  const others = Math.min(availableParallelism(), sources.length) - 1;
  if (others < 1 || (bytesOf(sources) ?? 0) < WORTH_BYTES) return replayAll(sources, options);
  return replayTogether(sources, options, (share) =>
    Array.from({ length: others }, () => new Worker(WORKER_FILE, { workerData: share })),
  );
}

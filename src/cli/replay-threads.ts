import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Judged, type ReplayOptions, replayAll } from '../replay/replay.ts';
import { bytesOf, type Source } from '../replay/sources.ts';
import { replayTogether, type Share } from '../replay/threads.ts';

/** Less than this is read before a thread has started. */
const WORTH_BYTES = 8 * 1024 * 1024;

/** Of a thread's memory for what is short-lived, which is nearly all of it: more is not faster, and each has its own. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 4 };

/**
 * Judges recordings, on two threads where that is worth it. A third and a fourth are 1.1 times as fast on four processors
 * (256 MB, best of eight alternating runs), take a quarter more of the processors' time, and 25 MB each.
 *
 * @param program what the other thread runs
 */
export function replayOnThreads(
  sources: readonly Source[],
  options: ReplayOptions,
  program: URL,
): AsyncIterable<Judged> {
  const isLittle = sources.length < 2 || (bytesOf(sources) ?? 0) < WORTH_BYTES;
  if (isLittle || availableParallelism() < 2 || hasBoundAddresses()) return replayAll(sources, options);
  return replayTogether(sources, options, (share) => startWorker(program, share));
}

/** undefined where the system allows no further thread. */
function startWorker(program: URL, workerData: Share): Worker | undefined {
  try {
    return new Worker(program, { workerData, resourceLimits: RESOURCE_LIMITS });
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

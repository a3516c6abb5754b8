import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { readValues } from '../replay/read/read-values.ts';
import type { ReplayOptions } from '../replay/replay.ts';
import { type Judged, replayAll } from '../replay/replay-all.ts';
import { bytesOf, type Source } from '../replay/sources.ts';
import { readAhead } from '../replay/workers/read-ahead.ts';
import { replayTogether } from '../replay/workers/replay-together.ts';
import { READER_FILE, WORKER_FILE } from './worker-file.ts';

/** Less than this is read before a thread has started. */
const WORTH_BYTES = 8 * 1024 * 1024;

/** A file must be as large for another thread to read it for the one that judges it. */
const LARGE_BYTES = 32 * 1024 * 1024;

/** Judges recordings, on as many threads as there are processors where that is worth it. */
export function replayOnThreads(sources: readonly Source[], options: ReplayOptions): AsyncIterable<Judged> {
  const bytes = bytesOf(sources) ?? 0;
  const processors = availableParallelism();
  if (processors < 2 || bytes < WORTH_BYTES) return replayAll(sources, options);
  const helped = { ...options, read: readerFor(bytes) };
  const others = Math.min(processors, sources.length) - 1;
  if (others < 1) return replayAll(sources, helped);
  return replayTogether(sources, helped, (share) =>
    Array.from({ length: others }, () => new Worker(WORKER_FILE, { workerData: share })),
  );
}

/** With other recordings to judge, the processors have enough to do until the largest one is most of the work. */
function readerFor(total: number): typeof readValues {
  return (file, options, onLine) => {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size < LARGE_BYTES || size < total / 2) return readValues(file, options, onLine);
    return readAhead(file, options, onLine, (workerData) => new Worker(READER_FILE, { workerData }));
  };
}

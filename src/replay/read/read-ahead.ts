import { on } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { createSkipper } from '../light/quick-reader.ts';
import type { ReadLine } from './line-feed.ts';
import { readValues } from './read-values.ts';

/** Maximum number of chunks that the thread reads ahead. */
const MAX_AHEAD = 16;

/** The task of a thread that reads a file ahead. */
export interface ReadAheadTask {
  readonly file: string;
  /** Shared integers: the number of chunks taken, and whether the sizes of tool results are enough. */
  readonly shared: Int32Array;
}

const [TAKEN, SIZED] = [0, 1];

/** A chunk of the file: its lines, and its bytes. The last one has no bytes. */
interface Chunk {
  readonly lines: readonly ReadLine[];
  readonly bytes: number;
}

/** The program of the thread. An error ends it. */
export async function sendLines({ file, shared }: ReadAheadTask, tell: (chunk: Chunk) => void): Promise<void> {
  let lines: ReadLine[] = [];
  let sent = 0;
  const onBytes = (bytes: number) => {
    tell({ lines, bytes });
    lines = [];
    sent++;
    let taken = Atomics.load(shared, TAKEN);
    for (; sent - taken >= MAX_AHEAD; taken = Atomics.load(shared, TAKEN)) Atomics.wait(shared, TAKEN, taken);
  };
  const readQuickly = createSkipper(() => Atomics.load(shared, SIZED) === 0);
  await readValues(file, { stdin: process.stdin, readQuickly, onBytes }, (line) => lines.push(line));
  tell({ lines, bytes: 0 });
}

/**
 * Reads files in a thread, ahead of the processing of their lines. The reader fails if the thread ends early.
 *
 * @param start starts a thread with the program {@link sendLines}
 */
export function createReadAhead(start: (task: ReadAheadTask) => Worker): typeof readValues {
  return async (file, { onBytes, needsTexts }, onLine) => {
    const shared = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
    const worker = start({ file, shared });
    try {
      for await (const [{ lines, bytes }] of on(worker, 'message', { close: ['exit'] }) as AsyncIterable<[Chunk]>) {
        lines.forEach(onLine);
        if (bytes === 0) return;
        onBytes?.(bytes);
        if (!needsTexts?.()) Atomics.store(shared, SIZED, 1);
        const taken = Atomics.add(shared, TAKEN, 1);
        // Waking the thread for each chunk would interrupt both threads each time.
        if (taken % (MAX_AHEAD / 2) === 0) Atomics.notify(shared, TAKEN);
      }
    } finally {
      await worker.terminate();
    }
    throw new Error('the thread has ended early');
  };
}

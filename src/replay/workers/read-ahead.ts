import type { Worker } from 'node:worker_threads';
import { CtxbError } from '../../errors.ts';
import type { LineStart } from '../read/line-feed.ts';
import { unpack } from '../read/parcel.ts';
import type { ReadLine } from '../read/read-line.ts';
import { type ReadOptions, readValues } from '../read/read-values.ts';
import type { FromReader, ReadingTask } from './read-for.ts';

/** Starts another thread, which does what read-for.ts says. */
export type StartReader = (task: ReadingTask) => Worker;

/**
 * Hands over the lines of a file as `readValues` does it with `fast`, while another thread reads on. Where that thread
 * cannot begin, and from the first line on that is too long to be in the memory of both, this one reads alone.
 *
 * @throws CtxbError `unreadable-input` when the file cannot be read
 */
export async function readAhead(
  file: string,
  options: ReadOptions,
  onLine: (line: ReadLine) => void,
  startReader: StartReader,
): Promise<void> {
  const bytes = countBytes(options.onBytes);
  bytes.tell(options.from?.offset ?? 0);
  const start = () => startReader({ file, from: options.from });
  const rest = await receive(start, { ...options, onBytes: bytes.tell }, onLine);
  if (rest !== 'none') await readValues(file, { ...options, from: rest.from, onBytes: bytes.tellAgain() }, onLine);
}

/** Tells of bytes, of none twice. */
function countBytes(onBytes: ReadOptions['onBytes']) {
  let told = 0;
  return {
    tell(count: number): void {
      told += count;
      onBytes?.(count);
    },
    /** For one who tells of all of them from the beginning. */
    tellAgain(): (count: number) => void {
      let known = told;
      return (count) => {
        const again = Math.min(known, count);
        known -= again;
        onBytes?.(count - again);
      };
    },
  };
}

/** What is left to be read. */
type Rest = 'none' | { readonly from: LineStart | undefined };

async function receive(start: () => Worker, options: ReadOptions, onLine: (line: ReadLine) => void): Promise<Rest> {
  let worker: Worker | undefined;
  let begun = false;
  try {
    const reader = start();
    worker = reader;
    return await new Promise<Rest>((resolve, reject) => {
      reader.on('error', reject);
      reader.on('exit', (code) => reject(new Error(`a thread ended with ${code}`)));
      reader.on('message', (message: FromReader) => {
        begun = true;
        try {
          const rest = take(message, reader, options, onLine);
          if (rest !== undefined) resolve(rest);
        } catch (error) {
          reject(error as Error);
        }
      });
    });
  } catch (error) {
    if (begun) throw error;
    return { from: options.from };
  } finally {
    await worker?.terminate();
  }
}

/** What is left when it was the last message. */
function take(
  message: FromReader,
  reader: Worker,
  { onBytes, onWhole }: ReadOptions,
  onLine: (line: ReadLine) => void,
): Rest | undefined {
  switch (message.kind) {
    case 'fault':
      throw new CtxbError(message.code, message.message);
    case 'whole':
      onWhole?.(message.end);
      return undefined;
    case 'rest':
      return { from: message.from };
    case 'end':
      onBytes?.(message.bytes);
      return 'none';
    case 'lines': {
      const { packed, bytes } = message;
      onBytes?.(bytes);
      unpack(packed, onLine);
      reader.postMessage(packed.parcel, [packed.parcel.bytes, packed.parcel.numbers]);
      return undefined;
    }
  }
}

import type { Worker } from 'node:worker_threads';
import { CtxbError } from '../../errors.ts';
import { unpack } from '../read/parcel.ts';
import type { ReadLine } from '../read/read-line.ts';
import { type ReadOptions, readValues } from '../read/read-values.ts';
import type { FromReader } from './read-for.ts';

/**
 * Hands over the lines of a file as `readValues` does it with `fast`, while another thread reads on. Where that thread
 * cannot begin, this one reads alone.
 *
 * @param startReader starts the other thread, which does what read-for.ts says
 * @throws CtxbError `unreadable-input` when the file cannot be read
 */
export async function readAhead(
  file: string,
  options: ReadOptions,
  onLine: (line: ReadLine) => void,
  startReader: (file: string) => Worker,
): Promise<void> {
  if (!(await receive(() => startReader(file), options, onLine))) await readValues(file, options, onLine);
}

/** Resolves at the end of the file; false: nothing has come. */
async function receive(
  start: () => Worker,
  { onBytes }: ReadOptions,
  onLine: (line: ReadLine) => void,
): Promise<boolean> {
  let worker: Worker | undefined;
  let begun = false;
  try {
    const reader = start();
    worker = reader;
    await new Promise<void>((resolve, reject) => {
      reader.on('error', reject);
      reader.on('exit', (code) => reject(new Error(`a thread ended with ${code}`)));
      reader.on('message', (message: FromReader) => {
        begun = true;
        try {
          if (message.kind === 'fault') throw new CtxbError(message.code, message.message);
          onBytes?.(message.bytes);
          if (message.kind === 'end') return resolve();
          const { packed } = message;
          unpack(packed, onLine);
          reader.postMessage(packed.parcel, [packed.parcel.bytes, packed.parcel.numbers]);
        } catch (error) {
          reject(error as Error);
        }
      });
    });
    return true;
  } catch (error) {
    if (begun) throw error;
    return false;
  } finally {
    await worker?.terminate();
  }
}

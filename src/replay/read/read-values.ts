import { closeSync, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { unreadable } from '../../errors.ts';
import { createLineFeed, type ReadLine } from './line-feed.ts';

/** Small enough that a folder of many files takes no new memory for each. */
const CHUNK_BYTES = 256 * 1024;

const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);

export interface ReadOptions {
  readonly stdin: Readable;
  /** Told how many bytes have come, piece by piece. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

/**
 * Hands over the lines of a recording one by one, parsed.
 *
 * A line of more than 64 MiB counts as malformed and is not kept in memory.
 *
 * @param file a path; `-` is stdin
 * @throws CtxbError `unreadable-input` when the file cannot be read
 */
export async function readValues(
  file: string,
  { stdin, onBytes }: ReadOptions,
  onLine: (line: ReadLine) => void,
): Promise<void> {
  const feed = createLineFeed(onLine);
  const take = (chunk: Buffer) => {
    feed.push(chunk);
    onBytes?.(chunk.length);
  };
  if (file === '-') await readStream(stdin, take);
  else readFile(file, take);
  feed.end();
}

function readFile(file: string, take: (chunk: Buffer) => void): void {
  const handle = attempt(file, () => openSync(file, 'r'));
  try {
    while (true) {
      const count = attempt(file, () => readSync(handle, buffer));
      if (count === 0) return;
      take(buffer.subarray(0, count));
    }
  } finally {
    closeSync(handle);
  }
}

async function readStream(stdin: Readable, take: (chunk: Buffer) => void): Promise<void> {
  const chunks = stdin[Symbol.asyncIterator]();
  try {
    while (true) {
      const chunk = await chunks.next().catch((cause) => fail('-', cause));
      if (chunk.done) return;
      take(chunk.value as Buffer);
    }
  } finally {
    await chunks.return?.();
  }
}

function attempt<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    return fail(file, cause);
  }
}

function fail(file: string, cause: unknown): never {
  throw unreadable(file, cause);
}

import { closeSync, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { unreadable } from '../../errors.ts';
import { createLineFeed, feedChunk, type LineFeed, type LineStart } from './line-feed.ts';
import type { ReadLine } from './read-line.ts';

/** Small enough that a folder of many files takes no new memory for each. */
const CHUNK_BYTES = 256 * 1024;

export interface ReadOptions {
  readonly stdin: Readable;
  /** Told how many bytes have come, piece by piece. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Where to begin in a file; default: at its first byte. */
  readonly from?: LineStart | undefined;
  /** Told where the last whole line of a file ends, before what is behind it is handed over as a line. */
  readonly onWhole?: ((end: LineStart) => void) | undefined;
}

/**
 * Hands over the lines of a recording one by one, parsed.
 *
 * A line of more than 64 MiB counts as malformed and is not kept in memory.
 *
 * @param file a path; `-` is stdin
 * @throws CtxbError `unreadable-input` when the file cannot be read
 */
export async function readValues(file: string, options: ReadOptions, onLine: (line: ReadLine) => void): Promise<void> {
  const feed = createLineFeed({ chunk: CHUNK_BYTES, from: options.from }, onLine);
  if (file === '-') {
    await feedStream(feed, options);
    feed.end();
  } else feedFile(file, feed, options);
}

function feedFile(file: string, feed: LineFeed, { from, onBytes, onWhole }: ReadOptions): void {
  const handle = attempt(file, () => openSync(file, 'r'));
  try {
    onBytes?.(from?.offset ?? 0);
    // A pipe takes no position.
    let position = from === undefined ? null : from.offset;
    while (true) {
      const { bytes, at, length } = feed.room();
      const count = attempt(file, () => readSync(handle, bytes, at, length, position));
      if (count === 0) break;
      if (position !== null) position += count;
      feed.took(count);
      onBytes?.(count);
    }
    onWhole?.(feed.place());
    feed.end();
  } finally {
    closeSync(handle);
  }
}

async function feedStream(feed: LineFeed, { stdin, onBytes }: ReadOptions): Promise<void> {
  const chunks = stdin[Symbol.asyncIterator]();
  try {
    while (true) {
      const chunk = await chunks.next().catch((cause) => fail('-', cause));
      if (chunk.done) return;
      feedChunk(feed, chunk.value as Buffer);
      onBytes?.((chunk.value as Buffer).length);
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

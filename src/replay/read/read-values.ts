import { closeSync, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { unreadable } from '../../errors.ts';
import { createFastReader } from './fast-reader.ts';
import { createLineFeed, feedChunk, type LineFeed, type LineStart } from './line-feed.ts';
import type { LineReader } from './line-reader.ts';
import { loadKernel } from './load-kernel.ts';
import { createPlainReader } from './plain-reader.ts';
import type { ReadLine } from './read-line.ts';

export const CHUNK_BYTES = 1024 * 1024;

export interface ReadOptions {
  readonly stdin: Readable;
  /**
   * `plain`: every line through JSON.parse.
   * `fast`: what `decodeObject` and the governor make of a line is the same, but members that a replay does not read
   * may be missing, and long texts of tools and of the assistant are stand-ins: true for their first 256 characters
   * and in their lengths. Where the machine cannot do that, the same as `plain`.
   */
  readonly how: 'fast' | 'plain';
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
  if (file !== '-') return readFileValues(file, options, onLine);
  const feed = createLineFeed(createReader(options.how), { chunk: CHUNK_BYTES }, onLine);
  await feedStream(feed, options);
  feed.end();
}

function createReader(how: ReadOptions['how']): LineReader {
  const kernel = how === 'fast' ? loadKernel() : undefined;
  return kernel === undefined ? createPlainReader() : createFastReader(kernel);
}

/** Readers that no file is being read with: a kernel is slow until it has been used for a while. */
const idle: Record<ReadOptions['how'], LineReader[]> = { fast: [], plain: [] };

function readFileValues(file: string, options: ReadOptions, onLine: (line: ReadLine) => void): void {
  const { how, onBytes, from } = options;
  const reader = idle[how].pop() ?? createReader(how);
  try {
    const feed = createLineFeed(reader, { chunk: CHUNK_BYTES, from }, onLine);
    onBytes?.(from?.offset ?? 0);
    for (const count of feedFile(file, feed, options)) onBytes?.(count);
  } finally {
    idle[how].push(reader);
  }
}

/**
 * Feeds a file piece by piece, and says after each how many bytes have come.
 *
 * @throws CtxbError `unreadable-input` when the file cannot be read
 */
export function* feedFile(
  file: string,
  feed: LineFeed,
  { from, onWhole }: Pick<ReadOptions, 'from' | 'onWhole'>,
): Generator<number> {
  const handle = attempt(file, () => openSync(file, 'r'));
  try {
    // A pipe takes no position.
    let position = from === undefined ? null : from.offset;
    while (true) {
      const { bytes, at, length } = feed.room();
      const count = attempt(file, () => readSync(handle, bytes, at, length, position));
      if (count === 0) break;
      if (position !== null) position += count;
      feed.took(count);
      yield count;
    }
    onWhole?.(feed.place());
    feed.end();
    yield 0;
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

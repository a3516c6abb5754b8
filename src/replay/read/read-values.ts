import { closeSync, openSync, read, readSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { promisify } from 'node:util';
import { unreadableError } from '../../errors.ts';
import { createLineFeed, type ReadLine, type ReadQuickly } from './line-feed.ts';

/** Small enough that one buffer serves a folder of many files without new allocations. */
const CHUNK_BYTES = 256 * 1024;

const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);

/** The mark of little-endian UTF-16, as Windows PowerShell redirects the output of programs. */
const UTF_16 = Buffer.from([0xff, 0xfe]);

export interface ReadOptions {
  readonly stdin: Readable;
  /** Called with the size of each chunk in bytes. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Reads the relevant fields of a line faster than a full parse. */
  readonly readQuickly?: ReadQuickly | undefined;
  /** Whether more than the sizes of tool results currently matters; for a reader in a thread. */
  readonly needsTexts?: () => boolean;
  /** Whether to continue reading; called after each chunk. */
  readonly shouldContinue?: () => boolean;
}

/**
 * Reads a recording and passes each parsed line to `onLine`.
 *
 * A line of more than 64 MiB counts as malformed and is not kept in memory.
 *
 * @param file a path, or `-` for stdin
 * @throws CtxbError `unreadable-input` if the file cannot be read
 */
export async function readValues(
  file: string,
  { stdin, onBytes, readQuickly, shouldContinue = () => true }: ReadOptions,
  onLine: (line: ReadLine) => void,
): Promise<void> {
  const feed = createLineFeed(onLine, undefined, readQuickly);
  let decoder: StringDecoder | undefined;
  let isFirst = true;
  const take = (chunk: Buffer) => {
    if (isFirst && chunk.subarray(0, 2).equals(UTF_16)) decoder = new StringDecoder('utf16le');
    isFirst = false;
    feed.push(decoder ? Buffer.from(decoder.write(chunk)) : chunk);
    onBytes?.(chunk.length);
    return shouldContinue();
  };
  const pending = file === '-' ? stdin : isLarge(file) ? chunksAhead(file) : undefined;
  if (pending === undefined) {
    for (const chunk of chunksIn(file)) if (!take(chunk)) return;
  } else for await (const chunk of chunksFrom(pending, file)) if (!take(chunk)) return;
  feed.end();
}

/** Reads the start of a recording as text. @throws Error of the file system */
export function headOf(file: string, bytes: number): string {
  const head = Buffer.alloc(bytes);
  const handle = openSync(file, 'r');
  try {
    return head.toString('utf8', 0, readSync(handle, head));
  } finally {
    closeSync(handle);
  }
}

// A generator, so that only errors of reading become read errors, and not those of the consumer.
function* chunksIn(file: string): Generator<Buffer> {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    for (let count = readSync(handle, buffer); count > 0; count = readSync(handle, buffer)) {
      yield buffer.subarray(0, count);
    }
  } catch (cause) {
    throw unreadableError(file, cause);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Reading ahead takes less time but more processor time. It is worth that only for a large file. */
function isLarge(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= 64 * 1024 * 1024;
}

/** With smaller chunks, the threads would wait for each other more often. */
const CHUNK_AHEAD_BYTES = 1024 * 1024;

// Not a stream, which would allocate a buffer for each chunk.
const readAsync = promisify(read);

/** Yields a chunk while another thread reads the next one. */
async function* chunksAhead(file: string): AsyncGenerator<Buffer> {
  const handle = openSync(file, 'r');
  const readInto = (target: Buffer) => readAsync(handle, target, 0, CHUNK_AHEAD_BYTES, null);
  let [taken, next] = [Buffer.allocUnsafeSlow(CHUNK_AHEAD_BYTES), Buffer.allocUnsafeSlow(CHUNK_AHEAD_BYTES)];
  let reading = readInto(next);
  try {
    for (let { bytesRead } = await reading; bytesRead > 0; { bytesRead } = await reading) {
      [taken, next] = [next, taken];
      reading = readInto(next);
      yield taken.subarray(0, bytesRead);
    }
  } finally {
    await reading.finally(() => closeSync(handle));
  }
}

async function* chunksFrom(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch (cause) {
    throw unreadableError(file, cause);
  }
}

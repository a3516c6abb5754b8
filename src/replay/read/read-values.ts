import { closeSync, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
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
  if (file === '-') {
    for await (const chunk of chunksFrom(stdin, file)) if (!take(chunk)) return;
  } else for (const chunk of chunksIn(file)) if (!take(chunk)) return;
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

async function* chunksFrom(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch (cause) {
    throw unreadableError(file, cause);
  }
}

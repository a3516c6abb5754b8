import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { unreadableError } from '../../errors.ts';
import { createLineFeed, type ReadLine, type Thin } from './line-feed.ts';

/** Small enough that one buffer serves a folder of many files without new allocations. */
const CHUNK_BYTES = 256 * 1024;

const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);

export interface ReadOptions {
  readonly stdin: Readable;
  /** Called with the size of each chunk in bytes. */
  readonly onBytes?: ((count: number) => void) | undefined;
  /** Reads the relevant fields of a line faster than a full parse. */
  readonly thin?: Thin;
  /** Whether to continue reading; called after each chunk. */
  readonly goesOn?: () => boolean;
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
  { stdin, onBytes, thin, goesOn = () => true }: ReadOptions,
  onLine: (line: ReadLine) => void,
): Promise<void> {
  const feed = createLineFeed(onLine, undefined, thin);
  const take = (chunk: Buffer) => {
    feed.push(chunk);
    onBytes?.(chunk.length);
    return goesOn();
  };
  const stream = file === '-' ? stdin : packedStream(file);
  if (stream === undefined) {
    for (const chunk of chunksIn(file)) if (!take(chunk)) return;
  } else for await (const chunk of chunksFrom(stream, file)) if (!take(chunk)) return;
  feed.end();
}

/** The end of the name of a file that gzip compressed. */
const GZIP = '.gz';

/** Reads the start of a recording as text. @throws Error of the file system or of zlib */
export function headOf(file: string, bytes: number): string {
  const head = Buffer.alloc(bytes);
  const handle = openSync(file, 'r');
  try {
    const read = head.subarray(0, readSync(handle, head));
    return `${file.endsWith(GZIP) ? gunzipSync(read, { finishFlush: constants.Z_SYNC_FLUSH }) : read}`;
  } finally {
    closeSync(handle);
  }
}

function packedStream(file: string): Readable | undefined {
  return file.endsWith(GZIP) ? pipeline(createReadStream(file), createGunzip(), () => {}) : undefined;
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

async function* chunksFrom(stream: Readable, file: string): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (cause) {
    throw unreadableError(file, cause);
  }
}

import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

export class ForeignFileFault extends Error {
  readonly expected: string;
  readonly found: string;

  constructor(expected: string, found: string) {
    super(`expected ${expected}, found ${found}`);
    this.expected = expected;
    this.found = found;
  }
}

const CHUNK = 64 * 1024;

/**
 * Reads a file that ctxb did not write, at a path that ctxb chose. Follows links, because it writes nothing. Never
 * blocks, and never uses more memory than the limit.
 *
 * @param limit bytes
 * @throws ForeignFileFault when it is not a regular file, or too long; Error of the file system
 */
export function readForeign(path: string, limit: number): Buffer {
  return withForeign(path, (fd, { size }) => {
    if (size > limit) throw tooLong(limit, `${size}`);
    return readToEnd(fd, limit);
  });
}

/** Opens a file for `work`. @throws ForeignFileFault when it is not a regular file; Error of the file system */
export function withForeign<T>(path: string, work: (fd: number, stats: Stats) => T): T {
  // Without O_NONBLOCK, opening a pipe blocks until a writer opens it.
  return withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, (fd) => {
    const stats = fstatSync(fd);
    if (stats.isFile()) return work(fd, stats);
    throw new ForeignFileFault('a file', stats.isDirectory() ? 'a folder' : 'a special file');
  });
}

/**
 * Reads a file that the user named. Waits for data if it is a pipe.
 *
 * @param limit bytes
 * @throws ForeignFileFault when it is too long; Error of the file system
 */
export function readNamed(path: string, limit: number): Buffer {
  if (statSync(path).isFile()) return readForeign(path, limit);
  return withFile(path, constants.O_RDONLY, (fd) => readToEnd(fd, limit));
}

/**
 * @param limit bytes
 * @throws ForeignFileFault when there are more; Error of the stream
 */
export async function readPiped(stream: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > limit) throw tooLong(limit, 'more');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

const UTF8 = new TextDecoder();

/** The text of bytes in UTF-8, without the byte order mark that some editors write. */
export function textIn(bytes: Buffer): string {
  return UTF8.decode(bytes);
}

function withFile<T>(path: string, flags: number, work: (fd: number) => T): T {
  const fd = openSync(path, flags);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

/** Reads to the end, whatever the size of the file: files in `/proc` have none, and others may still grow. */
function readToEnd(fd: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
  for (let length = 0; length <= limit; ) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const count = readSync(fd, chunk, 0, CHUNK, null);
    if (count === 0) return Buffer.concat(chunks, length);
    chunks.push(chunk.subarray(0, count));
    length += count;
  }
  throw tooLong(limit, 'more');
}

function tooLong(limit: number, found: string): ForeignFileFault {
  return new ForeignFileFault(`at most ${limit} bytes`, found);
}

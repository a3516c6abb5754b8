import { closeSync, constants, ftruncateSync, type Stats } from 'node:fs';
import { createFramer } from '../../core/protocol/frame.ts';
import { withGiven } from './given-file.ts';
import { openIfThere, readAt, withPlain } from './plain-file.ts';
import { orStoreError } from './store-error.ts';

const CHUNK = 64 * 1024;
const NEWLINE = 0x0a;
/** Of a longer line only the end is read, which is not JSON. The longest known line is below 10 MiB. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Whole lines of a file without their newlines, one in memory at a time; empty without a file. */
export function* readLines(path: string): Generator<string> {
  const file = openIfThere(path, constants.O_RDONLY);
  if (file === undefined) return;
  const framer = createFramer(MAX_LINE_BYTES);
  try {
    for (let position = 0, read = CHUNK; read > 0; position += read) {
      const chunk = orStoreError(path, () => readAt(file.fd, position, CHUNK));
      const whole = framer.push(chunk).filter((line) => line.at(-1) === NEWLINE);
      for (const line of whole) yield line.toString('utf8', 0, line.length - 1);
      read = chunk.length;
    }
  } finally {
    closeSync(file.fd);
  }
}

/**
 * The whole lines in a part of an open file, from the beginning of a line on.
 *
 * @param length bytes of the part
 * @returns `bytes` that the lines take with their newlines, out of those that were `read`
 */
export function linesAt(
  fd: number,
  position: number,
  length: number,
): { lines: string[]; bytes: number; read: number } {
  const part = readAt(fd, position, length);
  const bytes = part.lastIndexOf(NEWLINE) + 1;
  const lines = bytes === 0 ? [] : part.toString('utf8', 0, bytes - 1).split('\n');
  return { lines, bytes, read: part.length };
}

/** Whether the last line has no newline: a process was killed while it wrote it. */
export function isTorn(path: string): boolean {
  return withPlain(path, constants.O_RDONLY, isTornAt) ?? false;
}

export function isTornAt(fd: number, { size }: Pick<Stats, 'size'>): boolean {
  return size > 0 && readAt(fd, size - 1, 1)[0] !== NEWLINE;
}

/** Cuts off a torn last line, left by a process that was killed while writing. */
export function cutTornLine(path: string): void {
  withPlain(path, constants.O_RDWR, (fd, { size }) => {
    const end = endOfLastLine(fd, size);
    if (end < size) ftruncateSync(fd, end);
  });
}

function endOfLastLine(fd: number, size: number): number {
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - CHUNK);
    const newline = readAt(fd, start, end - start).lastIndexOf(NEWLINE);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}

/**
 * The whole lines within the last `most` bytes of a file, and where they begin, in bytes. Skips a line that is cut at the
 * beginning, and an unfinished one at the end. Follows links, because it writes nothing.
 *
 * @throws GivenFault when it is not a regular file; Error of the file system
 */
export function readTail(path: string, most: number): { lines: string[]; start: number } {
  return withGiven(path, (fd, { size }) => {
    const start = Math.max(size - most, 0);
    const data = readAt(fd, start, size - start);
    const begin = start === 0 ? 0 : data.indexOf(NEWLINE) + 1;
    const end = data.lastIndexOf(NEWLINE);
    return { lines: end < begin ? [] : data.toString('utf8', begin, end).split('\n'), start: start + begin };
  });
}

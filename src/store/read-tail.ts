import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { readAt } from './plain-file.ts';

const NEWLINE = 0x0a;

/** The newest lines of a file, where they begin and where they end, in bytes. */
export interface Tail {
  readonly lines: readonly string[];
  readonly start: number;
  readonly end: number;
}

/**
 * The whole lines behind the byte `from`, but no more than the last `most` bytes of the file. A line that is cut at the
 * beginning is left out, and so is one at the end that is still being written. Links are followed, as nothing is
 * written.
 *
 * @param from 0, or where a line begins; in a file that has become shorter since, its end
 * @throws Error of the file system
 */
export function readTail(path: string, most: number, from = 0): Tail {
  // Without O_NONBLOCK, opening a pipe waits for its other end.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(Math.min(from, size), size - most, 0);
    const data = readAt(fd, start, size - start);
    const begin = start <= from ? 0 : data.indexOf(NEWLINE) + 1;
    const end = data.lastIndexOf(NEWLINE);
    const lines = end < begin ? [] : data.toString('utf8', begin, end).split('\n');
    return { lines, start: start + begin, end: end < begin ? start + begin : start + end + 1 };
  } finally {
    closeSync(fd);
  }
}

import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { readAt } from './plain-file.ts';

const NEWLINE = 0x0a;

/** The newest lines of a file, and how many bytes before them were not read. */
export interface Tail {
  readonly lines: readonly string[];
  readonly skipped: number;
}

/**
 * The whole lines in the last `bytes` of a file, without their newlines; a line that was cut at the beginning is left
 * out, and so is one at the end that is still being written. Links are followed, as nothing is written.
 *
 * @throws Error of the file system
 */
export function readTail(path: string, bytes: number): Tail {
  // Without O_NONBLOCK, opening a pipe waits for its other end.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(0, size - bytes);
    const data = readAt(fd, start, bytes);
    const begin = start === 0 ? 0 : data.indexOf(NEWLINE) + 1;
    const end = data.lastIndexOf(NEWLINE);
    const text = end < begin ? '' : data.toString('utf8', begin, end);
    return { lines: text === '' ? [] : text.split('\n'), skipped: start };
  } finally {
    closeSync(fd);
  }
}

import { closeSync, constants, type Stats } from 'node:fs';
import { createFramer } from '../../core/protocol/frame.ts';
import { withForeign } from './foreign-file.ts';
import { openIfExists, readAt, withPlainFile } from './plain-file.ts';
import { orStoreError } from './store-error.ts';

const CHUNK = 64 * 1024;
const NEWLINE = 0x0a;
/**
 * Maximum bytes of a line. Of a longer line only the end is read, which is not valid JSON. The longest known line has
 * less than 10 MiB.
 */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Complete lines of a file without their newlines, one in memory at a time; empty if the file does not exist.
 *
 * @param start position of the first one
 * @returns the position behind the last one
 */
export function* readLines(path: string, start = 0): Generator<string, number> {
  const file = openIfExists(path, constants.O_RDONLY);
  if (file === undefined) return start;
  let end = start;
  const framer = createFramer(MAX_LINE_BYTES);
  try {
    for (let position = start, read = CHUNK; read > 0; position += read) {
      const chunk = orStoreError(path, () => readAt(file.fd, position, CHUNK));
      for (const line of framer.push(chunk)) {
        end += line.length;
        if (line.at(-1) === NEWLINE) yield line.toString('utf8', 0, line.length - 1);
      }
      read = chunk.length;
    }
    return end;
  } finally {
    closeSync(file.fd);
  }
}

/** Whether the last line has no newline, because a process was killed while writing. */
export function isTorn(path: string): boolean {
  return withPlainFile(path, constants.O_RDONLY, isTornAt) ?? false;
}

export function isTornAt(fd: number, { size }: Stats): boolean {
  return size > 0 && readAt(fd, size - 1, 1)[0] !== NEWLINE;
}

/**
 * Reads the complete lines within the last `max` bytes of a file, and the offset of the first one. Skips a line cut
 * off at the beginning, and an unfinished last line. Follows links, because it writes nothing.
 *
 * @throws ForeignFileFault when it is not a regular file; Error of the file system
 */
export function readTail(path: string, max: number) {
  return withForeign(path, (fd, { size }) => {
    const start = Math.max(size - max, 0);
    const data = readAt(fd, start, size - start);
    const begin = start === 0 ? 0 : data.indexOf(NEWLINE) + 1;
    const end = data.lastIndexOf(NEWLINE);
    return { lines: end < begin ? [] : data.toString('utf8', begin, end).split('\n'), start: start + begin };
  });
}

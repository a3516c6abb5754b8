import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import type { FileMeasure } from '../governor/tool-budget/tool-budget.ts';
import { readAt } from './plain-file.ts';

/** Larger files are not looked through: claude waits meanwhile. */
const MOST_BYTES = 64 * 1024 * 1024;

const CHUNK = 1024 * 1024;
const LINE_FEED = 10;

/** What Read puts before each line, besides its number, and behind it. */
const AROUND_LINE = 2;

/** A NUL within this many bytes: no text. */
const SNIFF = 8 * 1024;

/** Bytes of a UTF-16 unit in UTF-8, at most. */
const MOST_UNIT_BYTES = 3;

/**
 * Looks how many lines of a text file, from the line `offset` on, fit into `chars` UTF-16 units as Read shows them.
 * undefined: it is no text file, or none that can be looked at, or too large for it.
 */
export function measureFile(
  path: string,
  { offset, chars }: { offset: number; chars: number },
): FileMeasure | undefined {
  let fd: number | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe waits for its other end.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > MOST_BYTES || readAt(fd, 0, SNIFF).includes(0)) return undefined;
    const { lines, start } = countLines(fd, stats.size, offset);
    return { lines, fitting: countFitting(readAt(fd, start, chars * MOST_UNIT_BYTES).toString(), offset, chars) };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Lines of the file, and where the one with the number `offset` begins; at the end where there is none. */
function countLines(fd: number, size: number, offset: number): { lines: number; start: number } {
  let feeds = 0;
  let start = offset <= 1 ? 0 : size;
  let last = LINE_FEED;
  for (let position = 0; position < size; position += CHUNK) {
    const chunk = readAt(fd, position, CHUNK);
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) {
      feeds++;
      if (feeds === offset - 1) start = position + at + 1;
    }
    last = chunk.at(-1) ?? last;
  }
  return { lines: feeds + (last === LINE_FEED ? 0 : 1), start };
}

function countFitting(text: string, offset: number, chars: number): number {
  let fitting = 0;
  let left = chars;
  for (let at = 0; at < text.length; fitting++) {
    const feed = text.indexOf('\n', at);
    const end = feed < 0 ? text.length : feed;
    left -= end - at + String(offset + fitting).length + AROUND_LINE;
    if (left < 0) break;
    at = end + 1;
  }
  return fitting;
}

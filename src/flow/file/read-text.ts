import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { messageOf } from '../../errors.ts';

/** Of a flow, and of a file with a prompt. */
export const MAX_FILE_BYTES = 1_000_000;

/** A file's text without its byte order mark, or what is wrong with it. */
export type ReadText = { readonly text: string } | { readonly expected: string; readonly found: string };

/** Reads a text file of at most `MAX_FILE_BYTES`; what is wrong with it is an answer. */
export function readText(path: string): ReadText {
  try {
    // Opening a pipe would wait for its other end.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readOpen(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return { expected: 'a file that can be read', found: messageOf(error) };
  }
}

function readOpen(fd: number): ReadText {
  const stats = fstatSync(fd);
  if (!stats.isFile()) return { expected: 'a file', found: stats.isDirectory() ? 'a folder' : 'a special file' };
  if (stats.size > MAX_FILE_BYTES) {
    return { expected: `at most ${MAX_FILE_BYTES} bytes`, found: `${stats.size}` };
  }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(fd)) };
  } catch {
    return { expected: 'text in UTF-8', found: 'bytes that are none' };
  }
}

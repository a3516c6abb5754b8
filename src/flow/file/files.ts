import { accessSync, constants, realpathSync, type Stats, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { messageOf } from '../../errors.ts';
import { GivenFault, readGiven } from '../../store/given-file.ts';

/** Of a flow, and of a file with a prompt. */
export const MAX_FILE_BYTES = 1_000_000;

/** A file's text without its byte order mark, or what is wrong with it. */
export type ReadText = { readonly text: string } | Pick<GivenFault, 'expected' | 'found'>;

/** Reads a text file of at most `MAX_FILE_BYTES`; what is wrong with it is an answer. */
export function readText(path: string): ReadText {
  try {
    return decoded(readGiven(path, MAX_FILE_BYTES));
  } catch (error) {
    return error instanceof GivenFault ? error : { expected: 'a file that can be read', found: messageOf(error) };
  }
}

function decoded(bytes: Uint8Array): ReadText {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { expected: 'text in UTF-8', found: 'bytes that are none' };
  }
}

/** A file by where it really is, and by its name in the folder; or what is in the way. */
export type FileInside =
  | { readonly path: string; readonly name: string; readonly stats: Stats }
  | { readonly fault: string };

/**
 * A file that can be read, in a folder or below it. Links are followed and judged by where they lead.
 *
 * @param file relative to `folder`, or absolute
 */
export function fileInside(folder: string, file: string): FileInside {
  try {
    const path = realpathSync(resolve(folder, file));
    const root = realpathSync(folder);
    if (!isInside(root, path)) return { fault: outsideFault(folder, file) };
    const stats = statSync(path);
    if (stats.isDirectory()) return { fault: 'a folder' };
    if (!stats.isFile()) return { fault: 'a special file' };
    accessSync(path, constants.R_OK);
    return { path, name: relative(root, path), stats };
  } catch (error) {
    return { fault: reasonOf(error) };
  }
}

/** By its name alone; the folder itself is not inside. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(join('..', sep)) && !isAbsolute(way);
}

function outsideFault(folder: string, file: string): string {
  return isInside(resolve(folder), resolve(folder, file)) ? 'a link to a place outside' : 'a place outside';
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR' ? 'no such file' : `a file that cannot be read (${String(code)})`;
}

import { constants } from 'node:fs';
import { CtxbError } from '../errors.ts';
import { asItIs } from './disk-text.ts';
import { openPlain, readPlain, removeFile } from './plain-file.ts';
import { replaceFile } from './replace-file.ts';

/** Bytes of a file in which `mark` is looked for. */
const HEAD = 1_024;

/**
 * Writes a page, also in the place of an older one. Whatever else is there is left alone.
 *
 * @param mark stands at the beginning of all such pages
 * @throws CtxbError `usage` when there is another file
 */
export function writePage(path: string, page: string, mark: string): void {
  requireFree(path, mark);
  replaceFile(path, [asItIs(page)]);
}

/**
 * Whether a page may be written there, for whoever has long work before it.
 *
 * @param mark stands at the beginning of all such pages
 * @throws CtxbError `usage` when there is another file
 */
export function requireFree(path: string, mark: string): void {
  const old = readPlain(path, HEAD);
  if (old !== undefined && old !== '' && !old.includes(mark)) {
    throw new CtxbError('usage', `${path} is there already, and not written by ctxb: name another file`);
  }
}

/**
 * Opens a new file that is written piece by piece, also in the place of an older one, which is removed: another name of it
 * keeps what it has.
 *
 * @param mark stands at the beginning of all such files
 * @returns a descriptor; the caller closes it
 * @throws CtxbError `usage` when there is another file, `store` when it is a link or no regular file
 */
export function openOutput(path: string, mark: string): number {
  requireFree(path, mark);
  removeFile(path);
  return openPlain(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
}

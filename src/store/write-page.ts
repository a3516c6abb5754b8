import { CtxbError } from '../errors.ts';
import { readPlain } from './plain-file.ts';
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
  replaceFile(path, [page]);
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

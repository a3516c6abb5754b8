import { accessSync, closeSync, constants, fsyncSync, linkSync, openSync, renameSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { CtxbError, systemReason } from '../../errors.ts';
import { asItIs, type DiskText, joined } from '../masks/disk-text.ts';
import { FILE_MODE, kindOf, openPlain, readPlain, removeFile, writeWhole } from './plain-file.ts';
import { errorCode, orStoreError } from './store-error.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;

/** Error codes of file systems without hard links. */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Creates a file, whole or not at all. If the name exists, returns false and changes nothing. Only its owner can read
 * it.
 */
export function writeNewFile(path: string, text: DiskText): boolean {
  if (kindOf(path) !== 'missing') return false;
  const temporary = temporaryFor(path);
  try {
    orStoreError(path, () => fill(temporary, [text]));
    return orStoreError(path, () => giveName(temporary, path));
  } finally {
    removeFile(temporary);
  }
}

/**
 * All temporary files have this form, so that those of a killed process are recognised. An existing file is never
 * opened, so the name need not be secret.
 */
function temporaryFor(path: string): string {
  return `${path}.${Math.floor(Math.random() * 1_000_000_000)}`;
}

/** A link, unlike a new name, never takes the place of a file that another process has made meanwhile. */
function giveName(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (code === 'EEXIST') return false;
    if (!WITHOUT_LINKS.has(code)) throw error;
    if (kindOf(path) !== 'missing') return false;
    renameSync(temporary, path);
    return true;
  }
}

const BLOCK = 64 * 1024;

export interface Replacement {
  /** Must be whole after a power failure too; waiting for the disk takes some milliseconds. Default: true. */
  readonly durable?: boolean;
}

/**
 * Puts a file of ctxb's in the place of the old one, whole or not at all. Memory stays bounded however long the text is.
 */
export function replaceFile(path: string, chunks: Iterable<DiskText>, replacement: Replacement = {}): void {
  const temporary = temporaryFor(path);
  try {
    orStoreError(path, () => {
      fill(temporary, chunks, replacement);
      renameSync(temporary, path);
    });
  } catch (error) {
    removeFile(temporary);
    throw error;
  }
}

function fill(path: string, chunks: Iterable<DiskText>, { durable = true }: Replacement = {}): void {
  const fd = openSync(path, 'wx', FILE_MODE);
  try {
    for (const block of blocksOf(chunks)) writeWhole(fd, block);
    if (durable) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Joins small chunks to save system calls. */
function* blocksOf(chunks: Iterable<DiskText>): Generator<DiskText> {
  let pending = joined([]);
  for (const chunk of chunks) {
    pending = joined([pending, chunk]);
    if (pending.length < BLOCK) continue;
    yield pending;
    pending = joined([]);
  }
  yield pending;
}

/** Bytes of a file in which `mark` is looked for. */
const HEAD = 1_024;

/**
 * Writes a page, also over an older one. Leaves any other file alone.
 *
 * @param mark stands at the beginning of all such pages
 * @throws CtxbError `usage` when there is another file
 */
export function writePage(path: string, page: string, mark: string): void {
  requireFree(path, mark);
  replaceFile(path, [asItIs(page)]);
}

/**
 * Whether a page may be written there: asked before long work.
 *
 * @param mark stands at the beginning of all such pages
 * @throws CtxbError `usage` when there is another file
 */
export function requireFree(path: string, mark: string): void {
  requireName(path);
  const old = readPlain(path, HEAD);
  if (old !== undefined && old !== '' && !old.includes(mark)) {
    throw new CtxbError('usage', `${path} exists already, and ctxb has not written it: name another file`);
  }
}

/** @throws CtxbError `usage` when no file can be made there */
export function requireFolder(path: string): void {
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new CtxbError(
      'usage',
      `${path} cannot be written (${systemReason(error)}): name a file in a folder of yours`,
    );
  }
}

function requireName(path: string): void {
  if (basename(path) === '-') throw new CtxbError('usage', 'stdout has other output: name a file instead of -');
}

/**
 * Opens a new file that is written piece by piece; an empty one makes way.
 *
 * @returns a descriptor; the caller closes it
 * @throws CtxbError `usage` when the file holds something, `store` when it is a link or no regular file
 */
export function openOutput(path: string): number {
  requireName(path);
  if ((readPlain(path, 1) ?? '') !== '') throw new CtxbError('usage', 'it exists already');
  removeFile(path);
  return openPlain(path, O_WRONLY | O_CREAT | O_EXCL).fd;
}

import { accessSync, closeSync, constants, fsyncSync, linkSync, openSync, renameSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { CtxbError, systemReason } from '../../errors.ts';
import { type DiskText, joinTexts, unmaskedText } from '../masks/disk-text.ts';
import { FILE_MODE, kindOf, openPlain, readPlain, removeFile, writeWhole } from './plain-file.ts';
import { errorCode, orStoreError } from './store-error.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;

/** Error codes of file systems without hard links. */
const NO_LINK_CODES = new Set<unknown>(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Creates a file atomically, readable only by its owner. If the path exists, returns false and changes nothing. */
export function writeNewFile(path: string, text: DiskText, replacement: Replacement = {}): boolean {
  if (kindOf(path) !== 'missing') return false;
  const temporary = temporaryFor(path);
  try {
    orStoreError(path, () => fill(temporary, [text], replacement));
    return orStoreError(path, () => linkTo(temporary, path));
  } finally {
    removeFile(temporary);
  }
}

/**
 * The name of a temporary file. Other code finds leftovers of killed processes by this form. An existing file is never
 * opened, so the name need not be secret.
 */
function temporaryFor(path: string): string {
  return `${path}.${Math.floor(Math.random() * 1_000_000_000)}`;
}

/** Unlike a rename, a hard link never replaces a file that another process created meanwhile. */
function linkTo(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return false;
    if (!NO_LINK_CODES.has(code)) throw error;
    if (kindOf(path) !== 'missing') return false;
    renameSync(temporary, path);
    return true;
  }
}

const BLOCK = 64 * 1024;

export interface Replacement {
  /** Whether the file must be complete even after a power failure, which takes some milliseconds. Default: true. */
  readonly durable?: boolean;
}

/** Replaces one of ctxb's files atomically. Uses bounded memory, however long the text is. */
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

function fill(path: string, chunks: Iterable<DiskText>, { durable = true }: Replacement): void {
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
  let pending = joinTexts([]);
  for (const chunk of chunks) {
    pending = joinTexts([pending, chunk]);
    if (pending.length < BLOCK) continue;
    yield pending;
    pending = joinTexts([]);
  }
  yield pending;
}

const HEAD = 1_024;

/**
 * Writes a page. Replaces only pages.
 *
 * @param mark a text near the beginning of all such pages
 * @throws CtxbError `usage` when another file exists
 */
export function writePage(path: string, page: string, mark: string): void {
  requireWritablePage(path, mark);
  replaceFile(path, [unmaskedText(page)]);
}

/** Checks a path for {@link writePage}, before the long work that makes the page. */
export function requireWritablePage(path: string, mark: string): void {
  requireName(path);
  const old = readPlain(path, HEAD);
  if (old !== undefined && old !== '' && !old.includes(mark)) {
    throw new CtxbError('usage', `${path} exists already, and ctxb has not written it: name another file`);
  }
}

/** Checks that a file can be created at this path. @throws CtxbError `usage` when its folder does not allow that */
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
 * Creates a file for output. An empty file at the path is replaced.
 *
 * @throws CtxbError `usage` when the file is not empty, `store` when it is a link or not a regular file
 */
export function openOutput(path: string): number {
  requireName(path);
  if ((readPlain(path, 1) ?? '') !== '') throw new CtxbError('usage', 'it exists already');
  removeFile(path);
  return openPlain(path, O_WRONLY | O_CREAT | O_EXCL).fd;
}

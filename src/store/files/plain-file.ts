import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { parseJson } from '../../core/protocol/fields.ts';
import { CtxbError, orElse } from '../../errors.ts';
import type { DiskText } from '../masks/disk-text.ts';
import { errorCode, ignoreErrors, orStoreError } from './store-error.ts';

/** Only the owner can use files and folders with these modes. */
export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

const WRITE_FLAGS = constants.O_WRONLY | constants.O_RDWR;

export type FileKind = 'missing' | 'file' | 'folder' | 'symbolic link' | 'hard link' | 'special file';

/** Does not follow links. */
export function kindOf(path: string): FileKind {
  return kindOfStats(statsOf(path));
}

/** Like `lstat`; undefined if the path does not exist. */
export function statsOf(path: string): Stats | undefined {
  try {
    return orStoreError(path, () => lstatSync(path, { throwIfNoEntry: false }));
  } catch (error) {
    // The path is below a file. The caller gets this error when it opens the path.
    if (error instanceof CtxbError && errorCode(error.cause) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * Identifies a file or folder, whatever its path. A new file may get the inode of a removed one, but not its birth
 * time.
 */
export function identityOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev} ${ino} ${birthtimeMs}`;
}

/** Names in a folder that match a pattern; empty if the folder does not exist. */
export function matchingNames(folder: string, pattern = ANY_NAME): string[] {
  const names = kindOf(folder) === 'folder' ? orStoreError(folder, () => readdirSync(folder)) : [];
  return names.filter((name) => pattern.test(name));
}

/** Like {@link matchingNames}, but follows links and returns an empty list for an unreadable folder. */
export function namesOf(folder: string, pattern = ANY_NAME): string[] {
  return orElse(() => readdirSync(folder), []).filter((name) => pattern.test(name));
}

const ANY_NAME = /^/;

/** Resolves the links of an absolute path as far as it exists. */
export function realPath(path: string): string {
  const parent = dirname(path);
  return (
    orElse(() => realpathSync(path), undefined) ?? (parent === path ? path : join(realPath(parent), basename(path)))
  );
}

/** Whether a path is below the folder. Compares texts: resolve their links first. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`);
}

/** Takes stats from `lstat`, or a directory entry. */
export function kindOfStats(stats: Pick<Stats, 'isDirectory' | 'isFile' | 'isSymbolicLink'> | undefined): FileKind {
  if (stats === undefined) return 'missing';
  if (stats.isSymbolicLink()) return 'symbolic link';
  if (stats.isDirectory()) return 'folder';
  return stats.isFile() ? 'file' : 'special file';
}

/** Whether a folder exists. Refuses anything else at this path, including a symbolic link to a folder. */
export function isFolder(path: string): boolean {
  const kind = kindOf(path);
  if (kind === 'folder' || kind === 'missing') return kind === 'folder';
  throw new CtxbError('store', `${path} is a ${kind}, not a folder: move it away`);
}

export function makeFolder(path: string): void {
  if (!isFolder(path)) orStoreError(path, () => makeWithParents(path));
}

/**
 * Creates a folder with its parents. Node's recursive mkdir never ends if the system denies that an existing parent
 * exists, as in `/proc`.
 */
function makeWithParents(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeWithParents(parent);
  ignoreErrors(['EEXIST'], () => void mkdirSync(path, { mode: FOLDER_MODE }));
}

/**
 * Opens a regular file. Checks the opened file rather than the path, so that nobody can put a link there in between.
 *
 * @param flags of `constants`, for instance `O_RDONLY`
 */
export function openPlain(path: string, flags: number) {
  const fd = openOrRefuse(path, flags);
  try {
    const stats = fstatSync(fd);
    // Appending would change the file under its other name, which may be any file.
    const isShared = (flags & constants.O_APPEND) !== 0 && stats.isFile() && stats.nlink > 1;
    refuseForeign(path, isShared ? 'hard link' : kindOfStats(stats));
    if ((flags & WRITE_FLAGS) !== 0) keepPrivate(path, fd, stats);
    return { fd, stats };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function openOrRefuse(path: string, flags: number): number {
  // Without O_NONBLOCK, opening a pipe blocks until its other end is opened.
  const safe = flags | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    return orStoreError(path, () => openSync(path, safe, FILE_MODE));
  } catch (error) {
    // The kind of the file explains more than the system's error.
    refuseForeign(path, kindOf(path));
    throw error;
  }
}

/** Opens a regular file like {@link openPlain}; undefined if it does not exist and the flags do not create it. */
export function openIfExists(path: string, flags: number) {
  try {
    return openPlain(path, flags);
  } catch (error) {
    const code = error instanceof CtxbError ? errorCode(error.cause) : undefined;
    if ((flags & constants.O_CREAT) === 0 && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Opens a file like {@link openIfExists}, and closes it after the work. */
export function withPlainFile<T>(path: string, flags: number, work: (fd: number, stats: Stats) => T): T | undefined {
  const file = openIfExists(path, flags);
  if (file === undefined) return undefined;
  try {
    return orStoreError(path, () => work(file.fd, file.stats));
  } finally {
    closeSync(file.fd);
  }
}

function keepPrivate(path: string, fd: number, stats: Stats): void {
  requireOwner(path, stats);
  if (isOpenToOthers(stats)) orStoreError(path, () => fchmodSync(fd, FILE_MODE));
}

export function requireOwner(path: string, { uid }: Stats): void {
  const own = process.geteuid?.();
  if (uid === own) return;
  throw new CtxbError(
    'store',
    `${path} belongs to another user (${uid}, you are ${own}): run ctxb as that user, or name another place`,
  );
}

export function isOpenToOthers({ mode }: Stats): boolean {
  return (mode & 0o077) !== 0;
}

export function refuseForeign(path: string, kind: FileKind): void {
  if (kind === 'file' || kind === 'missing') return;
  throw new CtxbError('store', `${path} is a ${kind}, so ctxb does not use it: move it away`);
}

/** The beginning of a file, at most `limit` bytes; undefined if it does not exist. */
export function readPlain(path: string, limit: number): string | undefined {
  return readPlainBytes(path, limit)?.toString('utf8');
}

/** Like {@link readPlain}, without decoding. */
export function readPlainBytes(path: string, limit: number): Buffer | undefined {
  return withPlainFile(path, constants.O_RDONLY, (fd, { size }) => readAt(fd, 0, Math.min(limit, size)));
}

/** Like readPlain, parsed as JSON; undefined also when the file is unreadable or not JSON. */
export function readJson(path: string, limit: number): unknown {
  return orElse(() => parseJson(readPlain(path, limit) ?? ''), undefined);
}

/** Reads `length` bytes from `position`; fewer only at the end of the file. */
export function readAt(fd: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < buffer.length) {
    const count = readSync(fd, buffer, filled, buffer.length - filled, position + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/** Writes all of a text. An almost full disk accepts a part without an error, and only the next write fails. */
export function writeWhole(fd: number, text: DiskText): void {
  writeFileSync(fd, Buffer.from(text));
}

/** Appends all of the text to an open file of `before` bytes, or nothing if the system allows that. */
export function appendWhole(fd: number, text: DiskText, before = fstatSync(fd).size): void {
  try {
    writeWhole(fd, text);
  } catch (error) {
    truncateTo(fd, before, Buffer.byteLength(text));
    throw error;
  }
}

/** Cuts off a partly written text. Does nothing if the file grew by more, because another process has appended too. */
function truncateTo(fd: number, before: number, atMost: number): void {
  try {
    const appended = fstatSync(fd).size - before;
    if (appended > 0 && appended < atMost) ftruncateSync(fd, before);
  } catch {
    // A torn last line may remain. The next append ends it.
  }
}

/** Removes a file or link. A missing file is no error. Does not follow links. */
export function removeFile(path: string): void {
  orStoreError(path, () => ignoreErrors(['ENOENT'], () => unlinkSync(path)));
}

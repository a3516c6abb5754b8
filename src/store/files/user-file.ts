import { hash } from 'node:crypto';
import { accessSync, constants, lstatSync } from 'node:fs';
import writeFileAtomic from 'write-file-atomic';
import { CtxbError } from '../../errors.ts';
import { unmaskedText } from '../masks/disk-text.ts';
import { type FileKind, kindOf, readAt, withPlainFile, writeWhole } from './plain-file.ts';
import { orStoreError } from './store-error.ts';

/**
 * @returns the text, including a byte order mark, and a hash of the bytes
 * @throws CtxbError `store` when it is missing, a link, longer than `limit` bytes or not UTF-8
 */
export function readUserFile(path: string, limit: number) {
  const kind = kindOf(path);
  if (kind !== 'file') throw notAFile(path, kind);
  const bytes = withPlainFile(path, constants.O_RDONLY, (fd, { size }) => {
    if (size > limit) throw new CtxbError('store', `${path} has ${size} bytes, more than ${limit}: make it smaller`);
    return readAt(fd, 0, size);
  });
  if (bytes === undefined) throw notAFile(path, 'missing');
  return { text: decodeText(path, bytes), hash: hash('sha256', bytes) };
}

/**
 * Replaces the text of a file atomically. If the file has changed since it was read, returns false and changes nothing.
 * Keeps permissions and owner.
 *
 * @param hash of the file when it was read
 * @throws CtxbError `store` as {@link readUserFile}, and when it cannot be written
 */
export function replaceUserFile(path: string, text: string, { hash, limit }: { hash: string; limit: number }): boolean {
  if (readUserFile(path, limit).hash !== hash) return false;
  orStoreError(path, () => accessSync(path, constants.W_OK));
  ignoreSizeLimitSignal();
  const { mode } = lstatSync(path);
  // Write the text here, because the package treats a short write as success.
  const tmpfileCreated = (temporary: string) =>
    withPlainFile(temporary, constants.O_WRONLY, (fd) => writeWhole(fd, unmaskedText(text)));
  orStoreError(path, () => writeFileAtomic.sync(path, '', { mode: mode & 0o777, tmpfileCreated }));
  return true;
}

/**
 * Listens to SIGXFSZ (a file beyond `ulimit -f`), so that a write fails with an error. The package for atomic writes
 * listens too, but removes its listener, and the signal would then kill the process.
 */
function ignoreSizeLimitSignal(): void {
  if (process.listenerCount('SIGXFSZ') === 0) process.on('SIGXFSZ', () => {});
}

function notAFile(path: string, kind: FileKind): CtxbError {
  const found = kind === 'missing' ? 'is missing' : `is a ${kind}`;
  return new CtxbError('store', `${path} ${found}: name the file itself`);
}

function decodeText(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CtxbError('store', `${path} is no text in UTF-8: convert it`, { cause });
  }
}

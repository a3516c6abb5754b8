import { randomInt } from 'node:crypto';
import { closeSync, constants, fsyncSync, linkSync, renameSync } from 'node:fs';
import type { DiskText } from './disk-text.ts';
import { kindOf, openPlain, removeFile, writeWhole } from './plain-file.ts';
import { errorCode, orStoreError } from './store-error.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;

/** What file systems say that know no hard links. */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/**
 * Makes a file, whole or not at all, unless there is something of that name already: then false, and nothing is
 * changed. Only its owner can read it.
 *
 * @throws CtxbError `store`
 */
export function writeNewFile(path: string, text: DiskText): boolean {
  if (kindOf(path) !== 'missing') return false;
  // Named as the other temporary files are, so that what a killed process leaves is known for what it is.
  const temporary = `${path}.${randomInt(1_000_000_000)}`;
  try {
    fill(temporary, text);
    return orStoreError(path, () => giveName(temporary, path));
  } finally {
    removeFile(temporary);
  }
}

function fill(path: string, text: DiskText): void {
  const fd = openPlain(path, O_WRONLY | O_CREAT | O_EXCL);
  try {
    orStoreError(path, () => {
      writeWhole(fd, text);
      fsyncSync(fd);
    });
  } finally {
    closeSync(fd);
  }
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

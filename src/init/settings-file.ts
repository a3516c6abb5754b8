import { existsSync, realpathSync } from 'node:fs';
import { CtxbError } from '../errors.ts';
import { kindOf } from '../store/files/plain-file.ts';
import { readUserFile, replaceUserFile } from '../store/files/user-file.ts';
import { writeNewFile } from '../store/files/write-file.ts';
import { asItIs } from '../store/masks/disk-text.ts';

const LIMIT = 4 * 1024 * 1024;

/**
 * A configuration file of the user, which may be a link, and its backup.
 *
 * @throws CtxbError `store` where it is not a regular file, too long, or not text
 */
export function openSettingsFile(named: string) {
  if (!existsSync(named) && kindOf(named) === 'symbolic link') {
    throw new CtxbError('store', `${named} is a link to a file that is not there: make the file, or remove the link`);
  }
  const path = existsSync(named) ? realpathSync(named) : named;
  const backupPath = `${path}.ctxb-backup`;
  const file = existsSync(path) ? readUserFile(path, LIMIT) : undefined;

  function put(text: string): boolean {
    if (file !== undefined) return replaceUserFile(path, text, { hash: file.hash, limit: LIMIT });
    return writeNewFile(path, asItIs(text));
  }

  return {
    text: file?.text,
    backupPath,
    /** Makes the backup, unless it exists. */
    keep: (text: string) => void writeNewFile(backupPath, asItIs(text)),
    /** Writes the file, whole or not at all. Permissions stay. */
    write(text: string) {
      if (!put(text)) throw new CtxbError('store', `${named} was changed meanwhile: call this again`);
    },
  };
}

import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { CtxbError } from '../errors.ts';
import { kindOf, makeFolder, readPlain, removeFile } from '../store/files/plain-file.ts';
import { readUserFile, replaceUserFile } from '../store/files/user-file.ts';
import { writeNewFile } from '../store/files/write-file.ts';
import { asItIs } from '../store/masks/disk-text.ts';

/** Bytes. */
const LIMIT = 4 * 1024 * 1024;

/** A settings file of the user, which may be a link, and its backup. */
export interface SettingsFile {
  /** Undefined: the file does not exist. */
  readonly text: string | undefined;
  /** The text before ctxb changed it; empty: there was no file. Undefined: ctxb has changed nothing. */
  readonly backup: string | undefined;
  readonly backupPath: string;
  /** Makes the backup, unless it exists. */
  keep(): void;
  /** Writes the file, whole or not at all; empty: removes it. Permissions stay. */
  write(text: string): void;
  /** Removes the backup. */
  forget(): void;
}

/** @throws CtxbError `store` where it is not a regular file, too long, or not text */
export function openSettingsFile(named: string): SettingsFile {
  if (!existsSync(named) && kindOf(named) === 'symbolic link') {
    throw new CtxbError('store', `${named} is a link to a file that is not there: make the file, or remove the link`);
  }
  const path = existsSync(named) ? realpathSync(named) : named;
  const backupPath = `${path}.ctxb-backup`;
  const file = existsSync(path) ? readUserFile(path, LIMIT) : undefined;

  function put(text: string): boolean {
    if (file !== undefined) return replaceUserFile(path, text, { hash: file.hash, limit: LIMIT });
    makeFolderFor(path);
    return writeNewFile(path, asItIs(text));
  }

  return {
    text: file?.text,
    backup: readPlain(backupPath, LIMIT),
    backupPath,
    keep() {
      makeFolderFor(path);
      writeNewFile(backupPath, asItIs(file?.text ?? ''));
    },
    write(text) {
      if (text === '') removeFile(path);
      else if (!put(text)) throw new CtxbError('store', `${named} was changed meanwhile: call this again`);
    },
    forget: () => removeFile(backupPath),
  };
}

/** An existing folder may be a link. */
function makeFolderFor(path: string): void {
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
}

import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { CtxbError } from '../errors.ts';
import { asItIs } from '../store/disk-text.ts';
import { writeNewFile } from '../store/new-file.ts';
import { kindOf, makeFolder, readPlain, removeFile } from '../store/plain-file.ts';
import { readUserFile, replaceUserFile } from '../store/user-file.ts';

/** Bytes. */
const LIMIT = 4 * 1024 * 1024;

/** A file of settings of the user's own, which may be a link to where it really is, and a copy of how it was. */
export interface SettingsFile {
  /** Undefined: there is none. */
  readonly text: string | undefined;
  /** How it was before ctxb changed it; empty: there was none. Undefined: ctxb has changed nothing. */
  readonly backup: string | undefined;
  readonly backupPath: string;
  /** Keeps a copy of how it is beside it, unless there is one. */
  keep(): void;
  /** Writes it, whole or not at all; empty: it is taken away. Permissions stay. */
  write(text: string): void;
  /** Takes the copy away. */
  forget(): void;
}

/** @throws CtxbError `store` when it is no regular file, too long, or no text */
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

/** A folder that is there may be a link. */
function makeFolderFor(path: string): void {
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
}

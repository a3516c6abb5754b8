import { closeSync, constants, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CtxbError } from '../errors.ts';
import { masked } from './disk-text.ts';
import { appendWhole, kindOf, makeFolder, openPlain, readPlain } from './plain-file.ts';
import { replaceFile } from './replace-file.ts';
import { orStoreError } from './store-error.ts';

const INDEX = 'scratch.md';

/** More than any index has. */
const INDEX_LIMIT = 1024 * 1024;

/** A new folder for the notes of a recording. */
export interface NotesFolder {
  append(file: string, text: string): void;
  /** Writes the index; nothing may be written after it. */
  finish(index: string): void;
}

/** @throws CtxbError `store` when the folder holds anything already, or is none */
export function openNotesFolder(path: string): NotesFolder {
  makeFolder(path);
  if (orStoreError(path, () => readdirSync(path)).length > 0) {
    throw new CtxbError('store', `${path} is not empty: name a new folder`);
  }
  const open = new Map<string, number>();

  function descriptor(file: string): number {
    const known = open.get(file);
    if (known !== undefined) return known;
    const { O_WRONLY, O_APPEND, O_CREAT } = constants;
    const fd = openPlain(join(path, file), O_WRONLY | O_APPEND | O_CREAT);
    open.set(file, fd);
    return fd;
  }

  return {
    append: (file, text) => orStoreError(join(path, file), () => appendWhole(descriptor(file), masked(text))),
    finish(index) {
      for (const fd of open.values()) closeSync(fd);
      replaceFile(join(path, INDEX), [masked(index)]);
    },
  };
}

/** @throws CtxbError `usage` when nothing was noted in the folder */
export function readIndex(folder: string): string {
  const path = join(folder, INDEX);
  const text = kindOf(folder) === 'folder' ? readPlain(path, INDEX_LIMIT) : undefined;
  if (text !== undefined) return text;
  throw new CtxbError('usage', `${path} is not there: notes are kept by ctxb run, or made with ctxb scratch RECORDING`);
}

import { appendFileSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { CtxbError } from '../errors.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** The folder ctxb keeps its files in, usually `.context/`. Only its owner can read it, and git ignores it. */
export interface ContextDir {
  /** Adds a line to a file in the folder. */
  append(file: string, line: string): void;
  /** Writes a text to a file in the folder, whole or not at all, folders on the way included. */
  write(file: string, text: string): void;
}

/**
 * Opens the folder, making it if it is not there.
 *
 * @throws CtxbError `store` when the folder or one of its files is a symbolic link or not what it should be: somebody
 * else may have put it there to have our writes land elsewhere.
 */
export function openContextDir(path: string): ContextDir {
  const root = resolve(path);
  makeFolder(root);
  const ignore = join(root, '.gitignore');
  if (kindOf(ignore) === 'missing') writeFileSync(ignore, '*\n', { mode: FILE_MODE, flag: 'wx' });

  function place(file: string): string {
    const target = resolve(root, file);
    if (!target.startsWith(root + sep)) throw new CtxbError('store', `${file} is not inside ${root}`);
    for (const folder of foldersBetween(root, target)) makeFolder(folder);
    const kind = kindOf(target);
    if (kind !== 'file' && kind !== 'missing') {
      throw new CtxbError('store', `${target} is a ${kind}, so ctxb does not write to it: move it away`);
    }
    return target;
  }

  return {
    append: (file, line) => appendFileSync(place(file), `${line}\n`, { mode: FILE_MODE }),
    write: (file, text) => writeFileAtomic.sync(place(file), text, { mode: FILE_MODE }),
  };
}

/** Folders from below `root` down to the one that holds `target`: each could be somebody's symbolic link. */
function foldersBetween(root: string, target: string): string[] {
  const parts = relative(root, dirname(target)).split(sep).filter(Boolean);
  return parts.map((_, depth) => join(root, ...parts.slice(0, depth + 1)));
}

function makeFolder(path: string): void {
  const kind = kindOf(path);
  if (kind === 'missing') mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  else if (kind !== 'folder') throw new CtxbError('store', `${path} is a ${kind}, not a folder: move it away`);
}

function kindOf(path: string): 'missing' | 'file' | 'folder' | 'symbolic link' | 'special file' {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 'missing';
  if (stat.isSymbolicLink()) return 'symbolic link';
  if (stat.isDirectory()) return 'folder';
  return stat.isFile() ? 'file' : 'special file';
}

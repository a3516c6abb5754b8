import { constants } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { CtxbError } from '../../errors.ts';
import { appendWhole, kindOf, makeFolder, openPlain, refuseForeign, withPlain } from '../files/plain-file.ts';
import { isTornAt } from '../files/read-lines.ts';
import { type Replacement, replaceFile } from '../files/write-file.ts';
import { asItIs, type DiskText, joined } from '../masks/disk-text.ts';
import { claimFolder } from './own-folder.ts';

const { O_APPEND, O_CREAT, O_RDWR, O_WRONLY } = constants;

/**
 * The folder ctxb keeps its files in, usually `.context/`, or one below it. Only its owner can read it, and git
 * ignores it. Every name is checked each time, folders on the way included.
 */
export interface ContextDir {
  readonly path: string;
  /** The absolute path of a file in the folder, which is a regular file or not there. Makes the folders on the way. */
  place(file: string): string;
  /** The path of a file that is not there yet: `name.txt`, else `name-2.txt` and so on, of which the thousandth is the last. */
  freePlace(name: string, ending: string): string;
  /** Adds a line to a file in the folder, behind what a process that was killed may have left of one. */
  append(file: string, line: DiskText): void;
  /** Writes a text, or the pieces of one, to a file in the folder, whole or not at all. */
  write(file: string, text: DiskText | Iterable<DiskText>, replacement?: Replacement): void;
  /** Opens a file in the folder for appending, making it if it is not there. The caller closes the descriptor. */
  open(file: string): number;
  /** A folder in this one. It is made with its first file. */
  within(folder: string): ContextDir;
}

/**
 * Opens the folder, making it if it is not there.
 *
 * @throws CtxbError `store` when the folder is not ctxb's, or it or one of its files is a symbolic link or not what it
 * should be: somebody else may have put it there to have our writes land elsewhere.
 */
export function openContextDir(path: string): ContextDir {
  const root = resolve(path);
  claimFolder(root);
  return folderIn(root, root);
}

function folderIn(root: string, path: string): ContextDir {
  /** Where a file is to be, which is checked when it is opened. */
  function pathOf(file: string): string {
    const target = resolve(path, file);
    if (!target.startsWith(path + sep)) throw new CtxbError('store', `${file} is not inside ${path}: name one that is`);
    // Somebody may have removed it in the meantime.
    if (kindOf(root) !== 'folder') claimFolder(root);
    for (const folder of foldersBetween(root, target)) makeFolder(folder);
    return target;
  }

  function place(file: string): string {
    const target = pathOf(file);
    refuseForeign(target, kindOf(target));
    return target;
  }

  function freePlace(name: string, ending: string): string {
    const numbered = (count: number) => place(`${name}${count === 1 ? '' : `-${count}`}${ending}`);
    for (let count = 1; count < MOST_OF_A_NAME; count++) {
      if (kindOf(numbered(count)) === 'missing') return numbered(count);
    }
    return numbered(MOST_OF_A_NAME);
  }

  return {
    path,
    place,
    freePlace,
    append: (file, line) =>
      withPlain(pathOf(file), O_RDWR | O_APPEND | O_CREAT, (fd, stats) =>
        appendWhole(fd, joined(isTornAt(fd, stats) ? [asItIs(''), line] : [line], '\n'), stats.size),
      ),
    write: (file, text, replacement) => replaceFile(place(file), typeof text === 'string' ? [text] : text, replacement),
    open: (file) => openPlain(pathOf(file), O_WRONLY | O_APPEND | O_CREAT).fd,
    within: (folder) => folderIn(root, resolve(path, folder)),
  };
}

const MOST_OF_A_NAME = 1_000;

/** Folders from below `root` down to the one that holds `target`: each could be somebody's symbolic link. */
function foldersBetween(root: string, target: string): string[] {
  const parts = relative(root, dirname(target)).split(sep).filter(Boolean);
  return parts.map((_, depth) => join(root, ...parts.slice(0, depth + 1)));
}

/** A text of ours made fit to be a file's name. */
export function fileName(text: string): string {
  return text.replaceAll(/[^\w-]/g, '-').slice(0, 64) || 'run';
}

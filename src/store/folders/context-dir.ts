import { chmodSync, constants, existsSync, lstatSync, mkdirSync, renameSync, rmSync, type Stats } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { CtxbError, orElse } from '../../errors.ts';
import {
  appendWhole,
  FILE_MODE,
  FOLDER_MODE,
  isInside,
  isOpenToOthers,
  kindOf,
  makeFolder,
  readPlain,
  realPath,
  refuseForeign,
  requireOwner,
  withPlainFile,
} from '../files/plain-file.ts';
import { isTornAt } from '../files/read-lines.ts';
import { errorCode, orStoreError } from '../files/store-error.ts';
import { type Replacement, replaceFile, writeNewFile } from '../files/write-file.ts';
import { type DiskText, unmaskedText } from '../masks/disk-text.ts';
import { FOLDER_MARK, GITIGNORE, listFolder } from './own-names.ts';

const { O_APPEND, O_CREAT, O_RDWR } = constants;

/**
 * The folder of ctxb's files, usually `.context/`, or a folder in it. Only its owner can read it, and git ignores it.
 * Each access checks the path and its parent folders again.
 */
export type ContextDir = ReturnType<typeof openContextDir>;

/**
 * Refuses a folder that ctxb did not make, and symbolic links, which could redirect ctxb's writes to another place.
 *
 * @param folder opens this folder in it, which is created with its first file
 */
export function openContextDir(contextDir: string, folder = '') {
  const root = resolve(contextDir);
  const path = join(root, folder);
  claimFolder(root);

  /** The absolute path of a regular or missing file in the folder. Creates its parent folders. */
  function place(file: string): string {
    const target = resolve(path, file);
    if (!isInside(path, target)) throw new CtxbError('store', `${file} is not inside ${path}: name one that is`);
    // The folder may have been removed in the meantime.
    if (kindOf(root) !== 'folder') claimFolder(root);
    makeFolders(root, dirname(target));
    refuseForeign(target, kindOf(target));
    return target;
  }

  return {
    path,
    place,
    /** Creates a new file atomically: `name.txt`, else `name-2.txt` and so on up to a thousand. Returns its path. */
    create(name: string, ending: string, text: DiskText, replacement?: Replacement): string {
      for (let count = 1; count <= MAX_SAME_NAMES; count++) {
        const target = place(`${name}${count === 1 ? '' : `-${count}`}${ending}`);
        if (writeNewFile(target, text, replacement)) return target;
      }
      throw new CtxbError('store', `${path} holds ${MAX_SAME_NAMES} files named ${name}: move them away`);
    },
    /** Appends lines to a file in the folder. Ends the torn last line of a killed process first. */
    append: (file: string, lines: DiskText) =>
      retryIfRemoved(() =>
        withPlainFile(place(file), O_RDWR | O_APPEND | O_CREAT, (fd, stats) => {
          const parts = [isTornAt(fd, stats) ? '\n' : '', lines, lines === '' || lines.endsWith('\n') ? '' : '\n'];
          appendWhole(fd, unmaskedText(parts.join('')), stats.size);
        }),
      ),
    /** Writes a file atomically. */
    write: (file: string, text: DiskText | Iterable<DiskText>, replacement?: Replacement) =>
      retryIfRemoved(() => replaceFile(place(file), typeof text === 'string' ? [text] : text, replacement)),
  };
}

/** Writes again if the folder was removed just before the file was opened. A further call creates the folder again. */
function retryIfRemoved<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof CtxbError) || errorCode(error.cause) !== 'ENOENT') throw error;
    return write();
  }
}

const MAX_SAME_NAMES = 1_000;

/** Makes the folders from `root` to `folder`, each of which could be a symbolic link. */
function makeFolders(root: string, folder: string): void {
  if (folder === root) return;
  makeFolders(root, dirname(folder));
  makeFolder(folder);
}

const IGNORE_ALL = '*\n';

const HEAD = 1_024;

const MAX_NAMED = 3;

/**
 * Creates a folder for ctxb's files, or checks that ctxb made an existing one: it has our mark, or only our files. Then
 * closes it to other users, and makes git ignore it.
 *
 * @returns what was changed, for the user
 */
export function claimFolder(root: string): readonly string[] {
  refuseGitFolder(root);
  if (kindOf(root) === 'missing') makeMarked(root);
  makeFolder(root);
  if (!requireMade(root)) replaceFile(join(root, FOLDER_MARK), [unmaskedText(markOf(root))], { durable: false });
  return [...closeToOthers(root), ...ignoreAll(root)];
}

/** Creates the folder together with its mark, so that a second run never sees a folder without one. */
function makeMarked(root: string): void {
  const parent = dirname(root);
  if (!existsSync(parent)) makeFolder(parent);
  const newFolder = `${root}.${process.pid}`;
  orStoreError(root, () => mkdirSync(newFolder, { mode: FOLDER_MODE }));
  replaceFile(join(newFolder, FOLDER_MARK), [unmaskedText(markOf(newFolder))], { durable: false });
  try {
    renameSync(newFolder, root);
  } catch {
    // Another run created it first.
    rmSync(newFolder, { recursive: true });
  }
}

/** Checks the folder before the work begins. Ignores errors of the system, because the first write reports them. */
export function checkFolder(root: string): readonly string[] {
  refuseGitFolder(root);
  if (kindOf(root) !== 'folder') return [];
  requireMade(root);
  return orElse(() => claimFolder(root), []);
}

/** Refuses a folder that ctxb did not make. Returns whether it has a valid mark. */
export function requireOwn(root: string): boolean {
  refuseGitFolder(root);
  return requireMade(root);
}

function requireMade(root: string): boolean {
  requireOwner(root, lstatOf(root));
  if (hasMark(root)) return true;
  const foreign = foreignIn(root);
  if (foreign.length === 0 && looksMade(root)) return false;
  // Another run may have made the folder meanwhile: it writes the mark first.
  if (hasMark(root)) return true;
  const names = `${foreign.slice(0, MAX_NAMED).join(', ')}${foreign.length > MAX_NAMED ? ' and more' : ''}`;
  const [fault, what] =
    foreign.length > 0 ? [`holds ${names}, which ctxb did not make`, 'that'] : ['is not a folder that ctxb made', 'it'];
  throw new CtxbError('store', `${root} ${fault}: ${USE_ANOTHER_FOLDER}, or move ${what} away`);
}

const USE_ANOTHER_FOLDER = 'name another folder (contextDir, --context-dir)';

function refuseGitFolder(root: string): void {
  const belongsToGit = [root, realPath(root)]
    .flatMap((path) => path.split(sep))
    .some((part) => part.toLowerCase() === '.git');
  if (belongsToGit) throw new CtxbError('store', `${root} belongs to git: ${USE_ANOTHER_FOLDER}`);
}

/** The text of the mark. It contains the folder's inode, so a mark copied with a folder or a repository is invalid. */
function markOf(root: string): string {
  const { ino } = orStoreError(root, () => lstatSync(root, { bigint: true }));
  return [
    'ctxb made this folder and keeps its files in it. `ctxb cleanup` removes them.',
    'With this file ctxb knows it again.',
    `folder ${ino}`,
    '',
  ].join('\n');
}

function hasMark(root: string): boolean {
  return readPlain(join(root, FOLDER_MARK), HEAD) === markOf(root);
}

function foreignIn(root: string): string[] {
  const foreign: string[] = [];
  for (const { name, isOurs, kind } of listFolder(root)) {
    if (!isOurs || kind === 'symbolic link' || (name === GITIGNORE && !isOurIgnore(root))) foreign.push(name);
    if (foreign.length > MAX_NAMED) break;
  }
  return foreign;
}

function isOurIgnore(root: string): boolean {
  return (readPlain(join(root, GITIGNORE), HEAD) || IGNORE_ALL) === IGNORE_ALL;
}

/**
 * Whether ctxb made the folder, by its contents. Names alone prove nothing: a copied folder has ctxb's .gitignore too,
 * or only a mark.
 */
function looksMade(root: string): boolean {
  const names = [...listFolder(root)].map(({ name }) => name).filter((name) => !name.startsWith(GITIGNORE));
  const isMade =
    readPlain(join(root, GITIGNORE), HEAD) === IGNORE_ALL || names.every((name) => name.startsWith(FOLDER_MARK));
  return names.length > 0 && isMade;
}

/** Takes access away from other users. A folder that nobody else can enter needs no check of its contents. */
function closeToOthers(root: string): string[] {
  const stats = lstatOf(root);
  if (!isOpenToOthers(stats)) return [];
  const own = [...listFolder(root)].filter(({ isOurs, kind }) => isOurs && (kind === 'file' || kind === 'folder'));
  // The folder itself comes last, so that a refusal is repeated.
  for (const { name } of [...own, { name: '' }]) {
    const path = join(root, name);
    const found = lstatOf(path);
    requireOwner(path, found);
    const mode = found.isDirectory() ? FOLDER_MODE : FILE_MODE;
    if (isOpenToOthers(found)) orStoreError(path, () => chmodSync(path, mode));
  }
  return [`${root} was open to other users (mode ${(stats.mode & 0o777).toString(8)}), and is yours alone now`];
}

function ignoreAll(root: string): string[] {
  const path = join(root, GITIGNORE);
  const found = readPlain(path, HEAD);
  if (found === IGNORE_ALL) return [];
  replaceFile(path, [unmaskedText(IGNORE_ALL)], { durable: false });
  return found === undefined ? [] : [`${path} did not have git ignore the folder, and does now`];
}

function lstatOf(path: string): Stats {
  return orStoreError(path, () => lstatSync(path));
}

export function fileName(text: string): string {
  return text.replaceAll(/[^\w-]/g, '-').slice(0, 64) || 'run';
}

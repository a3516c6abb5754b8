import { chmodSync, lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { CtxbError } from '../../errors.ts';
import {
  FILE_MODE,
  FOLDER_MODE,
  isOpenToOthers,
  kindOf,
  makeFolder,
  readPlain,
  refuseForeign,
  requireOwner,
} from '../files/plain-file.ts';
import { orStoreError } from '../files/store-error.ts';
import { replaceFile } from '../files/write-file.ts';
import { asItIs } from '../masks/disk-text.ts';
import { everythingIn, IGNORE, MARK } from './own-names.ts';

/** What ctxb writes into its folder's `.gitignore`: git sees nothing of it. */
const IGNORE_ALL = '*\n';

/** Bytes of a mark, or of the beginning of another small file, that are read. */
const HEAD = 1_024;

/** What every journal begins with. */
const JOURNAL_BEGINNING = '{"v":1,"t":"';

const NAMED = 3;

/**
 * Makes a folder for ctxb's files, or checks that the one that is there is ctxb's: it has our mark, or there is nothing
 * in it but what ctxb makes. Then it belongs to this user alone, and git ignores it.
 *
 * @returns what was not so and is now, for the person
 * @throws CtxbError `store` when it is another user's, or holds what ctxb did not make
 */
export function claimFolder(root: string): readonly string[] {
  makeFolder(root);
  requireOwn(root);
  if (!hasMark(root)) replaceFile(join(root, MARK), [asItIs(markOf(root))], { durable: false });
  return [...closeToOthers(root), ...ignoreAll(root)];
}

/**
 * The same for a folder that exists, as a check before the work begins. What the system refuses is reported
 * when something is written.
 *
 * @throws CtxbError `store` when it is another user's, or holds what ctxb did not make
 */
export function checkFolder(root: string): readonly string[] {
  if (kindOf(root) !== 'folder') return [];
  requireOwn(root);
  try {
    return claimFolder(root);
  } catch {
    return [];
  }
}

/** @throws CtxbError `store` when the folder that is there is not ctxb's */
export function requireOwn(root: string): void {
  requireOwner(root, lstatOf(root));
  if (hasMark(root)) return;
  const foreign = foreignIn(root);
  const todo = 'name another folder (contextDir, --context-dir)';
  if (foreign.length > 0) {
    throw new CtxbError(
      'store',
      `${root} holds ${listed(foreign)}, which ctxb did not make: ${todo}, or move that away`,
    );
  }
  // Another run may have marked it meanwhile, which it does before it puts anything else there.
  if (!looksMade(root) && !hasMark(root))
    throw new CtxbError('store', `${root} is not a folder that ctxb made: ${todo}, or move it away`);
}

/** Its number in the file system: a mark that came with a repository or a copy does not know it. */
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
  const path = join(root, MARK);
  refuseForeign(path, kindOf(path));
  return readPlain(path, HEAD) === markOf(root);
}

function foreignIn(root: string): string[] {
  const foreign: string[] = [];
  for (const { name, isOurs, kind } of everythingIn(root)) {
    if (!isOurs || kind === 'symbolic link' || (name === IGNORE && !isOurIgnore(root))) foreign.push(name);
    if (foreign.length > NAMED) break;
  }
  return foreign;
}

function isOurIgnore(root: string): boolean {
  return ['', IGNORE_ALL].includes(readPlain(join(root, IGNORE), HEAD) ?? '');
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).join(', ');
  return names.length > NAMED ? `${shown} and more` : shown;
}

/** Names alone are no proof: an earlier version, which set no mark, left one of these. An empty folder counts as new. */
function looksMade(root: string): boolean {
  if (readPlain(join(root, IGNORE), HEAD) === IGNORE_ALL) return true;
  if (readPlain(join(root, 'journal.ndjson'), HEAD)?.startsWith(JOURNAL_BEGINNING)) return true;
  for (const { name } of everythingIn(root)) if (!name.startsWith(MARK) && !name.startsWith(IGNORE)) return false;
  return true;
}

/** What is in a folder that nobody else can enter needs no look. */
function closeToOthers(root: string): string[] {
  const stats = lstatOf(root);
  if (!isOpenToOthers(stats)) return [];
  const all = [...everythingIn(root)].filter(({ isOurs, kind }) => isOurs && (kind === 'file' || kind === 'folder'));
  const found = all.map(({ name }) => ({ path: join(root, name), stats: lstatOf(join(root, name)) }));
  for (const each of found) requireOwner(each.path, each.stats);
  for (const each of [{ path: root, stats }, ...found]) {
    const mode = each.stats.isDirectory() ? FOLDER_MODE : FILE_MODE;
    if (isOpenToOthers(each.stats)) orStoreError(each.path, () => chmodSync(each.path, mode));
  }
  return [`${root} was open to other users (mode ${(stats.mode & 0o777).toString(8)}), and is yours alone now`];
}

function ignoreAll(root: string): string[] {
  const path = join(root, IGNORE);
  refuseForeign(path, kindOf(path));
  const found = readPlain(path, HEAD);
  if (found === IGNORE_ALL) return [];
  replaceFile(path, [asItIs(IGNORE_ALL)], { durable: false });
  return found === undefined ? [] : [`${path} did not have git ignore the folder, and does now`];
}

function lstatOf(path: string): Stats {
  return orStoreError(path, () => lstatSync(path));
}

import { groupsIn } from '../../protocol/fields.ts';
import { sumOf } from '../../text/sum-of.ts';
import { FILE_LENGTH, NAME_LENGTH, nearLines, type Quote } from './text-result.ts';

/** `a, b, c... (+2 more)`. */
export function formatList<T>(items: readonly T[], max: number, tell: (item: T) => string): string {
  const shown = items.slice(0, max).map(tell).join(', ');
  return items.length > max ? `${shown}... (+${items.length - max} more)` : shown;
}

export type CountedName = readonly [name: string, count: number];

/** Counts each name, most frequent first; equal counts are sorted by name. */
export function byCount(names: Iterable<string>): CountedName[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return inOrder([...counts]);
}

function inOrder(counts: readonly CountedName[]): CountedName[] {
  return counts.toSorted(([one, many], [other, more]) => more - many || (one < other ? -1 : 1));
}

export interface FileList {
  /** Folder paths end in a slash. */
  readonly paths: readonly string[];
  /** Total number of files, if it exceeds `paths`. */
  readonly total?: number | undefined;
  /** The list is incomplete. */
  readonly more?: boolean;
}

const MAX_TYPES = 4;
const MAX_FOLDERS = 3;

/** `5 files. Types: .ts (3), .md (2). Key: src/, test/`. */
export function summarizeFiles({ paths, total = paths.length, more }: FileList, quote: Quote): string {
  // Skips dotfiles: `.env` has no extension.
  const types = byCount(paths.flatMap((path) => groupsIn(/[^/\\](\.[\w+-]{1,12})$/, path.slice(-80))));
  const folders = byCount(withoutCommonFolder(paths).flatMap((path) => groupsIn(/^([^/\\]+)[/\\]/, path)));
  const named = types.slice(0, MAX_TYPES).map(([type, often]) => `${type} (${often})`);
  const key = folders.slice(0, MAX_FOLDERS).map(([folder]) => quote(`${folder}/`, NAME_LENGTH));
  const count = `${more ? 'at least ' : ''}${total} files`;
  return `${count}. Types: ${named.join(', ') || '(no extensions)'}. Key: ${key.join(', ') || '(flat)'}`;
}

/** Removes the folders that all paths start with. */
function withoutCommonFolder(paths: readonly string[]): readonly string[] {
  const [first = ''] = paths;
  if (!/^(?:[/\\~]|[A-Za-z]:)/.test(first)) return paths.map((path) => path.replace(/^\.[/\\]/, ''));
  let common = folderOf(first);
  for (const path of paths) while (!path.startsWith(common)) common = folderOf(common.slice(0, -1));
  return paths.map((path) => path.slice(common.length));
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

export interface Matches {
  /** Files with their number of matches, in order. */
  readonly counts: readonly CountedName[];
  /** Number of matches, if the search reports it. */
  readonly total?: number;
  /** The list may be incomplete: a limit was reached, or only a part was shown. */
  readonly more?: boolean;
}

const MAX_FILES = 5;

/** `25 matches in 3 files: a.ts (20), b.ts (4), c.ts (1)`. */
export function summarizeMatchCounts({ counts, more, ...known }: Matches, quote: Quote): string {
  const { total = sumOf(counts, ([, count]) => count) } = known;
  const tell = ([file, count]: CountedName) => `${file === '' ? '' : quote(file, FILE_LENGTH)} (${count})`;
  const qualifier = more && total > 0 ? 'at least ' : '';
  return `${qualifier}${total} matches in ${counts.length} files: ${formatList(counts, MAX_FILES, tell) || '(no matches)'}`;
}

/** `7 files with matches: a.ts, b.ts`. */
export function summarizeMatchingFiles(files: readonly string[], more: boolean, quote: Quote): string {
  const names = [...new Set(files)].sort();
  const shown = formatList(names, MAX_FILES, (name) => quote(name, FILE_LENGTH)) || '(no matches)';
  return `${more && names.length > 0 ? 'at least ' : ''}${names.length} files with matches: ${shown}`;
}

const FILE_LINE = /^((?:[A-Za-z]:[\\/])?[^:\n]{1,1000}):\d+:/;

/** Reads `file:12:text`, or `12:text` if `only` one file was searched. Undefined for lines without numbers. */
export function readMatches(text: string, only: string): readonly CountedName[] | undefined {
  const lines = nearLines(text);
  const found = lines.flatMap((line) => (/^\d+:/.test(line) ? [only] : groupsIn(FILE_LINE, line)));
  return lines.length > 0 && found.length === 0 ? undefined : byCount(found);
}

/** Reads lines of `file:count`; skips files without matches. */
export function readMatchCounts(text: string): readonly CountedName[] {
  const counts = nearLines(text).flatMap((line): CountedName[] => {
    const [file, count] = groupsIn(/^(.{1,1000}):(\d{1,9})$/, line);
    return file === undefined || Number(count) === 0 ? [] : [[file, Number(count)]];
  });
  return inOrder(counts);
}

import { FILE, NAME, nearLines, type Quote } from './text-result.ts';

/** `a, b, c... (+2 more)`: the first `most` of a list, each as `tell` has it, and how many more there are. */
export function listed<T>(items: readonly T[], most: number, tell: (item: T) => string): string {
  const shown = items.slice(0, most).map(tell).join(', ');
  return items.length > most ? `${shown}... (+${items.length - most} more)` : shown;
}

/** A name and how often it came up. */
export type Counted = readonly [name: string, count: number];

/** How often each name comes up: the most frequent first, and of equals by their names. */
export function byCount(names: Iterable<string>): Counted[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return inOrder([...counts]);
}

function inOrder(counts: readonly Counted[]): Counted[] {
  return counts.toSorted(([one, many], [other, more]) => more - many || (one < other ? -1 : 1));
}

/** Files or folders that a search or a listing named. */
export interface FileList {
  /** A folder ends in a slash. */
  readonly paths: readonly string[];
  /** How many there are, if more than `paths` names. */
  readonly total?: number;
  /** Something was left out of the list, so there may be more. */
  readonly more?: boolean;
  /** Not all of them are certain to be files. */
  readonly mixed?: boolean;
}

const MAX_TYPES = 4;
const MAX_FOLDERS = 3;

/** `5 files. Types: .ts (3), .md (2). Key: src/, test/`. */
export function summarizeFiles({ paths, total, more, mixed }: FileList, quote: Quote): string {
  const types = byCount(paths.flatMap((path) => extensionOf(path) ?? [])).slice(0, MAX_TYPES);
  const folders = byCount(withoutCommonFolder(paths).flatMap((path) => firstFolder(path) ?? [])).slice(0, MAX_FOLDERS);
  const count = `${more ? 'at least ' : ''}${total ?? paths.length} ${mixed ? 'entries' : 'files'}`;
  const named = types.map(([type, often]) => `${type} (${often})`).join(', ');
  const key = folders.map(([folder]) => quote(folder, NAME)).join(', ');
  return `${count}. Types: ${named || '(no extensions)'}. Key: ${key || '(flat)'}`;
}

/** `.env` has no extension. */
function extensionOf(path: string): string | undefined {
  return /[^/\\](\.[A-Za-z0-9_+-]{1,12})$/.exec(path.slice(-80))?.[1];
}

function firstFolder(path: string): string | undefined {
  const end = path.search(/[/\\]/);
  return end > 0 ? `${path.slice(0, end)}/` : undefined;
}

/** Paths without the folders that all of them begin with. */
function withoutCommonFolder(paths: readonly string[]): readonly string[] {
  const [first = ''] = paths;
  if (!/^(?:[/\\~]|[A-Za-z]:)/.test(first)) return paths.map((path) => path.replace(/^\.[/\\]/, ''));
  let common = first.slice(0, lastSeparator(first) + 1);
  for (const path of paths) {
    while (!path.startsWith(common)) common = common.slice(0, lastSeparator(common.slice(0, -1)) + 1);
  }
  return paths.map((path) => path.slice(common.length));
}

function lastSeparator(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
}

/** Kind of an entry and its name, in a line of `ls -l`. */
const LONG_LINE = /^([-bcdlps])\S{9,11} +\d+ +\S+ +\S+ +\S+ +\S+ +\S+ +\S+ (\S.*)$/;

/** What `find`, `fd` or `git ls-files` printed: a path a line. */
export function readPaths(text: string, mixed: boolean): FileList {
  const { lines, more } = nearLines(text);
  return { paths: lines.filter((line) => line !== '' && line !== '.'), mixed, more };
}

/** What `ls` printed, one name a line; undefined where it is another form. */
export function readLs(text: string, isLong: boolean): FileList | undefined {
  const { lines, more } = nearLines(text);
  const paths: string[] = [];
  let folder = '';
  for (const line of lines) {
    if (line === '' || /^total \S{1,12}$/.test(line)) continue;
    if (line.endsWith(':')) {
      folder = `${line.slice(0, -1)}/`;
      continue;
    }
    const name = isLong ? longName(line) : line;
    if (name === undefined) return undefined;
    if (!/^\.{1,2}\/?$/.test(name)) paths.push(folder + name);
  }
  return { paths, mixed: true, more };
}

function longName(line: string): string | undefined {
  const [, kind, name = ''] = LONG_LINE.exec(line) ?? [];
  if (kind === undefined) return undefined;
  if (kind === 'd') return `${name}/`;
  const link = kind === 'l' ? name.indexOf(' -> ') : -1;
  return link < 0 ? name : name.slice(0, link);
}

/** What a search has found. */
export interface Matches {
  /** The files and how many matches each has, in order. */
  readonly counts: readonly Counted[];
  /** How many matches there are, where that is known otherwise. */
  readonly total?: number;
  /** There may be more: a limit was reached, or only a part was shown. */
  readonly more?: boolean;
}

const MAX_FILES = 5;

/** `25 matches in 3 files: a.ts (20), b.ts (4), c.ts (1)`. */
export function summarizeMatchCounts({ counts, total = sumOf(counts), more }: Matches, quote: Quote): string {
  const tell = ([file, count]: Counted) => `${file === '' ? '' : quote(file, FILE)} (${count})`;
  const least = more && total > 0 ? 'at least ' : '';
  return `${least}${total} matches in ${counts.length} files: ${listed(counts, MAX_FILES, tell) || '(no matches)'}`;
}

function sumOf(counts: readonly Counted[]): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

/** `7 files with matches: a.ts, b.ts`; with `more` there may be others. */
export function summarizeMatchingFiles(files: readonly string[], more: boolean, quote: Quote): string {
  const names = [...new Set(files)].sort();
  const least = more && names.length > 0 ? 'at least ' : '';
  return `${least}${names.length} files with matches: ${listed(names, MAX_FILES, (name) => quote(name, FILE)) || '(no matches)'}`;
}

/** How the lines of a search are to be read. */
export interface MatchLines {
  /** The file that was searched, where lines do not name one. */
  readonly only?: string | undefined;
  /** They have numbers; undefined where that is not known. */
  readonly numbered: boolean | undefined;
  /** Lines that are only near a match come with it. */
  readonly context: boolean;
}

const NAMED_LINE = /^((?:[A-Za-z]:[\\/])?[^:\n]{1,1000}):/;
const NUMBERED_LINE = /^((?:[A-Za-z]:[\\/])?[^:\n]{1,1000}):\d+:/;

/**
 * The matches in what a search printed: `file:12:text`, `file:text`, or `12:text` and `text` where one
 * file was searched. Undefined where they cannot be told from other lines.
 */
export function readMatches(text: string, { only, numbered, context }: MatchLines): Matches | undefined {
  const { lines, more } = nearLines(text);
  if (lines.length === 0) return { counts: [] };
  if (only !== undefined) {
    // A line that is only near a match has a dash behind its number.
    if (context && !lines.some((line) => /^\d+:/.test(line))) return undefined;
    const found = lines.filter((line) => line !== '' && line !== '--' && (!context || !/^\d+-/.test(line)));
    return { counts: found.length === 0 ? [] : [[only, found.length]], more };
  }
  const isNumbered = numbered !== false && lines.some((line) => NUMBERED_LINE.test(line));
  if (!isNumbered && (context || numbered === true)) return undefined;
  const files = lines.flatMap((line) => (isNumbered ? NUMBERED_LINE : NAMED_LINE).exec(line)?.[1] ?? []);
  return { counts: byCount(files), more };
}

/** The files and their matches in lines of `file:count`. */
export function readMatchCounts(text: string): Matches {
  const { lines, more } = nearLines(text);
  const counts = lines.flatMap((line): Counted[] => {
    const [, file, count] = /^(.{1,1000}):(\d{1,9})$/.exec(line) ?? [];
    return file === undefined || Number(count) === 0 ? [] : [[file, Number(count)]];
  });
  return { counts: inOrder(counts), more };
}

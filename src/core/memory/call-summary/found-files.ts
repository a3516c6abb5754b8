import { groupsIn, numberOf, stringOf, textOf, textsOf } from '../../protocol/fields.ts';
import { sumOf } from '../../text/sum-of.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import type { DisplayPath } from './summarize-files.ts';
import { FILE_LENGTH, firstLines, NAME_LENGTH, PATH_LENGTH, type Quote, summarizeText } from './text-result.ts';

/** `a, b, c... (+2 more)`. */
export function formatList<T>(items: readonly T[], max: number, tell: (item: T) => string): string {
  const shown = items.slice(0, max).map(tell).join(', ');
  return items.length > max ? `${shown}... (+${items.length - max} more)` : shown;
}

export type CountedName = readonly [name: string, count: number];

/** Counts each name, most frequent first; equal counts are sorted by name. */
export function countNames(names: Iterable<string>): CountedName[] {
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
  readonly hasMore?: boolean;
}

const MAX_TYPES = 4;
const MAX_FOLDERS = 3;

/** `5 files. Types: .ts (3), .md (2). Key: src/, test/`. */
export function summarizeFiles({ paths, total = paths.length, hasMore = false }: FileList, quote: Quote): string {
  // Skips dotfiles: `.env` has no extension.
  const types = countNames(paths.flatMap((path) => groupsIn(/[^/\\](\.[\w+-]{1,12})$/, path.slice(-80))));
  const folders = countNames(withoutCommonFolder(paths).flatMap((path) => groupsIn(/^([^/\\]+)[/\\]/, path)));
  const named = types.slice(0, MAX_TYPES).map(([type, count]) => `${type} (${count})`);
  const key = folders.slice(0, MAX_FOLDERS).map(([folder]) => quote(`${folder}/`, NAME_LENGTH));
  return `${atLeast(hasMore)}${total} files. Types: ${named.join(', ') || '(no extensions)'}. Key: ${key.join(', ') || '(flat)'}`;
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

const MAX_FILES = 5;

/** `25 matches in 3 files: a.ts (20), b.ts (4), c.ts (1)`. @param more a limit was reached */
export function summarizeMatches(
  counts: readonly CountedName[],
  more: boolean,
  quote: Quote,
  total = sumOf(counts, ([, count]) => count),
): string {
  const tell = ([file, count]: CountedName) => `${file === '' ? '' : quote(file, FILE_LENGTH)} (${count})`;
  return `${atLeast(more && total > 0)}${total} matches in ${counts.length} files: ${listOrNone(counts, tell)}`;
}

function listOrNone<T>(items: readonly T[], tell: (item: T) => string): string {
  return formatList(items, MAX_FILES, tell) || '(no matches)';
}

function atLeast(isPart: boolean): string {
  return isPart ? 'at least ' : '';
}

/** `Grep zone in src: 12 matches in 3 files: a.ts (7), …`, `Glob **.ts: 35 files. Types: …`. */
export function summarizeSearch(ended: EndedCall, quote: Quote, placeOf: DisplayPath): string {
  const { name } = ended.use;
  const { path, pattern } = ended.input;
  const where = textOf(path) ? ` in ${quote(placeOf(stringOf(path)), PATH_LENGTH)}` : '';
  const description = name === 'Glob' ? globOf(ended, quote) : grepOf(ended, quote);
  return `${name} ${quote(stringOf(pattern), NAME_LENGTH)}${where}: ${description}`;
}

function globOf({ report, result }: EndedCall, quote: Quote): string {
  const { filenames, numFiles, truncated } = report;
  const names = namesIn(filenames);
  const paths = names ?? foundLines(result.text);
  return summarizeFiles({ paths, total: names && numberOf(numFiles), hasMore: truncated === true }, quote);
}

const FILE_LINE = /^((?:[A-Za-z]:[\\/])?[^:\n]{1,1000}):\d+:/;

/** The names of files, their counts as `file:count`, or lines as `file:12:text`, or `12:text` if one file was searched. */
function grepOf({ input, report, result }: EndedCall, quote: Quote): string {
  const more = numberOf(report.appliedLimit) !== undefined;
  const lines = foundLines(textOf(report.content) ?? result.text);
  switch (textOf(report.mode) ?? textOf(input.output_mode)) {
    case 'count': {
      const counts = lines.map((line) => groupsIn(/^(.{1,1000}):(\d{1,9})$/, line));
      const found = counts.map(([file = '', count]): CountedName => [file, Number(count ?? 0)]);
      return summarizeMatches(inOrder(found.filter(([, count]) => count > 0)), more, quote);
    }
    case 'content': {
      const files = lines.flatMap((line) => (/^\d+:/.test(line) ? [stringOf(input.path)] : groupsIn(FILE_LINE, line)));
      if (lines.length > 0 && files.length === 0) return summarizeText(lines.join('\n'), 'first', quote);
      return summarizeMatches(countNames(files), more, quote);
    }
    default: {
      const names = [...new Set(namesIn(report.filenames) ?? lines)].sort();
      return `${atLeast(more && names.length > 0)}${names.length} files with matches: ${listOrNone(names, (name) => quote(name, FILE_LENGTH))}`;
    }
  }
}

/** claude reports fewer names. */
const MAX_NAMES = 10_000;

function namesIn(filenames: unknown): readonly string[] | undefined {
  return Array.isArray(filenames) ? textsOf(filenames.slice(0, MAX_NAMES)) : undefined;
}

/** Lines that claude adds before and after what it found. */
const ADDED_LINE =
  /^(?:$|No (?:matches|files) found\b|Found \d+ (?:files?|total occurrences?)\b|\[Showing results with pagination\b)/;

function foundLines(text: string): string[] {
  return firstLines(text).filter((line) => !ADDED_LINE.test(line));
}

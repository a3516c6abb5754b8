import { byCount, type Counted, inOrder, listed } from './listed.ts';
import { nearLines } from './near-lines.ts';
import { FILE, type Quote } from './quote.ts';

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
export function tellMatches({ counts, total = sumOf(counts), more }: Matches, quote: Quote): string {
  const tell = ([file, count]: Counted) => `${file === '' ? '' : quote(file, FILE)} (${count})`;
  const least = more && total > 0 ? 'at least ' : '';
  return `${least}${total} matches in ${counts.length} files: ${listed(counts, MAX_FILES, tell) || '(no matches)'}`;
}

function sumOf(counts: readonly Counted[]): number {
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

/** `7 files with matches: a.ts, b.ts`; with `more` there may be others. */
export function tellMatchingFiles(files: readonly string[], more: boolean, quote: Quote): string {
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

const NAMED = /^((?:[A-Za-z]:[\\/])?[^:\n]{1,1000}):/;
const NUMBERED = /^((?:[A-Za-z]:[\\/])?[^:\n]{1,1000}):\d+:/;

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
  const isNumbered = numbered !== false && lines.some((line) => NUMBERED.test(line));
  if (!isNumbered && (context || numbered === true)) return undefined;
  const files = lines.flatMap((line) => (isNumbered ? NUMBERED : NAMED).exec(line)?.[1] ?? []);
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

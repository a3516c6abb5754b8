import { listed } from './listed.ts';
import { nearLines } from './near-lines.ts';
import { FILE, type Quote } from './quote.ts';

/** What a diff changes. */
export interface GitDiff {
  /** Those whose names were shown, in the order of the diff. */
  readonly files: readonly string[];
  /** How many there are, where that is said. */
  readonly total?: number;
  /** Undefined where lines were not shown. */
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
  /** Only a part of it was shown. */
  readonly more?: boolean;
}

const MAX_FILES = 4;

/** `3 files, +12/-4 lines (diff). a.ts, b.ts, c.ts`. `type` says what was compared. */
export function tellGitDiff({ files, total, added, removed, more }: GitDiff, type: string, quote: Quote): string {
  const count = total ?? files.length;
  if (count === 0) return `No changes (${type})`;
  const lines = added === undefined ? '' : `, +${added}/-${removed ?? 0} lines`;
  const names = listed(
    files.filter((file) => file !== ''),
    MAX_FILES,
    (file) => quote(file, FILE),
  );
  return `${more ? 'at least ' : ''}${count} files${lines} (${type})${names === '' ? '' : `. ${names}`}`;
}

const TOTAL = /^ (\d{1,9}) files? changed(?:, (\d{1,9}) insertions?\(\+\))?(?:, (\d{1,9}) deletions?\(-\))?$/;
const STAT = /^ (\S.{0,400}?) {1,200}\| {1,20}(?:\d+|Bin\b)/;
const NUMSTAT = /^(\d{1,9}|-)\t(\d{1,9}|-)\t(.+)$/;
const NAME_STATUS = /^[ACDMRTUXB]\d{0,3}\t(?:.*\t)?(.+)$/;

/** Undefined where it is none of the forms that `git diff` and `git show` print changes in. */
export function readGitDiff(text: string, namesOnly: boolean): GitDiff | undefined {
  const { lines, more } = nearLines(text);
  if (lines.length === 0) return { files: [], added: 0, removed: 0 };
  if (namesOnly) return { files: lines.map((line) => NAME_STATUS.exec(line)?.[1] ?? line), more };
  const found = readPatch(lines) ?? readStat(lines) ?? readNumstat(lines);
  return found && { ...found, more };
}

function readPatch(lines: readonly string[]): GitDiff | undefined {
  const files: string[] = [];
  let [added, removed] = [0, 0];
  let inHunk = false;
  for (const line of lines) {
    if (line.startsWith('diff --')) {
      files.push(/ b\/(.+)$/.exec(line)?.[1] ?? / (\S+)$/.exec(line)?.[1] ?? '');
      inHunk = false;
    } else if (line.startsWith('@@')) inHunk = true;
    else if (inHunk && line.startsWith('+')) added++;
    else if (inHunk && line.startsWith('-')) removed++;
  }
  return files.length === 0 ? undefined : { files, added, removed };
}

function readStat(lines: readonly string[]): GitDiff | undefined {
  const files = lines.flatMap((line) => STAT.exec(line)?.[1] ?? []);
  const totals = lines.map((line) => TOTAL.exec(line)).filter((match) => match !== null);
  if (totals.length === 0) return files.length === 0 ? undefined : { files };
  const sum = (group: number) => totals.reduce((all, match) => all + Number(match[group] ?? 0), 0);
  return { files, total: sum(1), added: sum(2), removed: sum(3) };
}

function readNumstat(lines: readonly string[]): GitDiff | undefined {
  const rows = lines.map((line) => NUMSTAT.exec(line)).filter((match) => match !== null);
  if (rows.length < lines.length) return undefined;
  const sum = (group: number) => rows.reduce((all, match) => all + (Number(match[group]) || 0), 0);
  return { files: rows.map(([, , , file = '']) => file), added: sum(1), removed: sum(2) };
}

import { listed } from './found-files.ts';
import { FILE, NAME, nearLines, type Quote } from './text-result.ts';

/** What `git status` says about a working tree. */
export interface GitStatus {
  /** Undefined if it was not asked for. */
  readonly branch: string | undefined;
  readonly ahead: number;
  readonly behind: number;
  readonly staged: number;
  readonly modified: number;
  readonly unmerged: number;
  readonly untracked: number;
  /** git says that there is nothing to commit. */
  readonly clean: boolean;
}

/** `main (clean) [ahead 2]`, or `main: 1 staged, 2 modified`. */
export function summarizeGitStatus(status: GitStatus, quote: Quote): string {
  const { ahead, behind, clean } = status;
  const branch = status.branch === undefined ? '' : quote(status.branch, NAME);
  if (clean) {
    const apart = [...(ahead > 0 ? [`ahead ${ahead}`] : []), ...(behind > 0 ? [`behind ${behind}`] : [])];
    return `${branch} (clean)${apart.length === 0 ? '' : ` [${apart.join(', ')}]`}`.trimStart();
  }
  const parts = (['staged', 'modified', 'unmerged', 'untracked'] as const).filter((part) => status[part] > 0);
  const counts = parts.map((part) => `${status[part]} ${part}`).join(', ') || 'not clean, nothing listed';
  return branch === '' ? counts : `${branch}: ${counts}`;
}

type Tally = { -readonly [K in keyof GitStatus]: GitStatus[K] };

const SHORT_LINE = /^(?:## |[ MADRCUT?!]{2} \S)/;

/** Undefined if it is neither the long nor the short format of `git status`. */
export function readGitStatus(text: string): GitStatus | undefined {
  const { lines } = nearLines(text);
  const tally: Tally = {
    branch: undefined,
    ahead: 0,
    behind: 0,
    staged: 0,
    modified: 0,
    unmerged: 0,
    untracked: 0,
    clean: false,
  };
  if (lines.every((line) => SHORT_LINE.test(line))) return readShort(lines, tally);
  return lines.some((line) => /^(?:On branch |HEAD detached |Not currently on )/.test(line))
    ? readLong(lines, tally)
    : undefined;
}

function readShort(lines: readonly string[], tally: Tally): GitStatus {
  for (const line of lines) {
    if (line.startsWith('## ')) addBranchLine(line.slice(3), tally);
    else addCode(line.slice(0, 2), tally);
  }
  tally.clean = lines.every((line) => line.startsWith('## '));
  return tally;
}

/** `main...origin/main [ahead 1, behind 2]`. */
function addBranchLine(line: string, tally: Tally): void {
  tally.branch = line.replace(/^(?:No commits yet on|Initial commit on) /, '').split(/\.\.\.| \[/, 1)[0] ?? '';
  const apart = / \[([^[\]]{1,60})\]$/.exec(line)?.[1] ?? '';
  tally.ahead = Number(/ahead (\d{1,9})/.exec(apart)?.[1] ?? 0);
  tally.behind = Number(/behind (\d{1,9})/.exec(apart)?.[1] ?? 0);
}

function addCode(code: string, tally: Tally): void {
  if (code === '??') tally.untracked++;
  else if (/U|AA|DD/.test(code)) tally.unmerged++;
  else if (code !== '!!') {
    if (code[0] !== ' ') tally.staged++;
    if (code[1] !== ' ') tally.modified++;
  }
}

type Part = 'staged' | 'modified' | 'unmerged' | 'untracked';

const PARTS: Readonly<Record<string, Part>> = {
  'Changes to be committed:': 'staged',
  'Changes not staged for commit:': 'modified',
  'Unmerged paths:': 'unmerged',
  'Untracked files:': 'untracked',
};

function readLong(lines: readonly string[], tally: Tally): GitStatus {
  let part: Part | undefined;
  for (const line of lines) {
    if (line.startsWith('\t')) {
      if (part !== undefined) tally[part]++;
    } else if (/^\S/.test(line)) {
      part = Object.hasOwn(PARTS, line) ? PARTS[line] : undefined;
      addSentence(line, tally);
    }
  }
  return tally;
}

function addSentence(line: string, tally: Tally): void {
  const branch = /^On branch (.+)$/.exec(line)?.[1] ?? /^(HEAD detached .+)$/.exec(line)?.[1];
  tally.branch ??= branch;
  const [, ahead, behind] = /and have (\d{1,9}) and (\d{1,9}) different commits? each/.exec(line) ?? [];
  tally.ahead ||= Number(ahead ?? /^Your branch is ahead of .* by (\d{1,9}) commit/.exec(line)?.[1] ?? 0);
  tally.behind ||= Number(behind ?? /^Your branch is behind .* by (\d{1,9}) commit/.exec(line)?.[1] ?? 0);
  if (/^nothing (?:added )?to commit\b.*(?:clean|not staged|create\/copy)/.test(line)) tally.clean = true;
}

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
export function summarizeGitDiff({ files, total, added, removed, more }: GitDiff, type: string, quote: Quote): string {
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

const STAT_TOTAL = /^ (\d{1,9}) files? changed(?:, (\d{1,9}) insertions?\(\+\))?(?:, (\d{1,9}) deletions?\(-\))?$/;
const STAT_LINE = /^ (\S.{0,400}?) {1,200}\| {1,20}(?:\d+|Bin\b)/;
const NUMSTAT = /^(\d{1,9}|-)\t(\d{1,9}|-)\t(.+)$/;
const NAME_STATUS = /^[ACDMRTUXB]\d{0,3}\t(?:.*\t)?(.+)$/;

/** Undefined if it is no format of `git diff` or `git show`. */
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
  const files = lines.flatMap((line) => STAT_LINE.exec(line)?.[1] ?? []);
  const totals = lines.map((line) => STAT_TOTAL.exec(line)).filter((match) => match !== null);
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

export interface Commit {
  readonly hash: string;
  readonly message: string;
}

/** Commits, the newest first. */
export interface GitLog {
  readonly commits: readonly Commit[];
  /** How many there are, where that is said. */
  readonly total?: number;
  /** Only a part of them was shown. */
  readonly more?: boolean;
}

const MAX_COMMITS = 3;
/** Code points of a commit's message. */
const MESSAGE_LENGTH = 30;
/** Longer hashes are shown as short as git shows them. */
const SHORT_HASH = 7;
const LONGEST_SHORT = 12;

/** `15 commits. Recent: abc1234 Fix it, def5678 Add more... (+13 more)`. */
export function summarizeGitLog({ commits, total = commits.length, more }: GitLog, quote: Quote): string {
  if (total === 0) return 'No commits found';
  const recent = listed(commits, MAX_COMMITS, ({ hash, message }) =>
    `${quote(hash, LONGEST_SHORT)} ${message === '' ? '' : quote(message, MESSAGE_LENGTH)}`.trimEnd(),
  );
  return `${more ? 'at least ' : ''}${total} commits. Recent: ${recent}`;
}

/** A line of `--oneline`, the lines of `--graph` before it. */
const ONE_LINE =
  /^(?:[*|\\/_ ]{0,40}\* )?([0-9a-f]{7,40})(?: \((?:HEAD|tag: |origin\/|[^()]{1,200}, )[^()]{0,200}\))?(?: (.*))?$/;
const FULL_HASH = /^(?:[*|\\/_ ]{0,40}\* )?commit ([0-9a-f]{7,40})\b/;
const FULL_MESSAGE = /^(?:[|\\/_ ]{0,40})? {4}(\S.*)$/;

/** Undefined for a format that is not known, such as a custom one. */
export function readGitLog(text: string): GitLog | undefined {
  const { lines, more } = nearLines(text);
  if (lines.length === 0) return { commits: [] };
  const [first = ''] = lines;
  if (FULL_HASH.test(first)) return { commits: fullCommits(lines), more };
  if (!ONE_LINE.test(first)) return undefined;
  const commits = lines.flatMap((line) => {
    const [, hash, message = ''] = ONE_LINE.exec(line) ?? [];
    return hash === undefined ? [] : [{ hash: abbreviated(hash), message }];
  });
  return { commits, more };
}

function abbreviated(hash: string): string {
  return hash.length > LONGEST_SHORT ? hash.slice(0, SHORT_HASH) : hash;
}

function fullCommits(lines: readonly string[]): Commit[] {
  const commits: { hash: string; message: string }[] = [];
  for (const line of lines) {
    const hash = FULL_HASH.exec(line)?.[1];
    const last = commits.at(-1);
    if (hash !== undefined) commits.push({ hash: abbreviated(hash), message: '' });
    else if (last?.message === '') last.message = FULL_MESSAGE.exec(line)?.[1] ?? '';
  }
  return commits;
}

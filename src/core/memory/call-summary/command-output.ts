import { groupsIn } from '../../protocol/fields.ts';
import { sumOf } from '../../text/sum-of.ts';
import { commandCore } from '../shell/command-words.ts';
import { formatList } from './found-files.ts';
import { countLines, FILE_LENGTH, NAME_LENGTH, nearLines, type Quote } from './text-result.ts';

/** Scripts and command substitutions are not parsed. */
const KNOWN = /^git (?:-C \S+ |--no-pager )*(status|diff|show|log)\b([^;&|<`$()\n]*)$/;
/** Matches output redirected to a file, and a command in the background; redirecting stderr is allowed. */
const REDIRECTED = /(?<!2)>|&\s*$/;
const PAGED = /\|\s*(head|tail)(?: -n? ?(\d{1,9}))?\s*$/;

export interface Printed {
  readonly text: string;
  /** claude kept only the beginning of the output. */
  readonly isPart: boolean;
}

/** Summarizes a command's output; undefined for an unknown format. */
export function summarizeOutput(command: string, { text, isPart }: Printed, quote: Quote): string | undefined {
  if (!command.includes('git ') || REDIRECTED.test(command)) return undefined;
  const [verb, words = ''] = groupsIn(KNOWN, commandCore(command).text);
  const [viewer, lines = 10] = groupsIn(PAGED, command);
  const more = isPart || (viewer !== undefined && countLines(text) >= Number(lines));
  if (verb === undefined) return undefined;
  if (verb === 'status') {
    const status = readGitStatus(text);
    return status && summarizeGitStatus(status, quote);
  }
  if (verb === 'log') {
    const commits = readGitLog(text);
    return commits && summarizeGitLog({ commits, more }, quote);
  }
  const diff = readGitDiff(text);
  const diffKind = verb === 'diff' && /--(?:staged|cached)\b/.test(words) ? 'staged' : verb;
  // The closing line of `--stat` counts all files.
  return diff && summarizeGitDiff({ ...diff, more: diff.total === undefined && more }, diffKind, quote);
}

const PARTS = ['staged', 'modified', 'unmerged', 'untracked'] as const;
type Part = (typeof PARTS)[number];

/** Number of files for each part of the working tree. */
export interface GitStatus extends Readonly<Record<Part, number>> {
  readonly branch: string | undefined;
  readonly ahead: number;
  readonly behind: number;
  readonly clean: boolean;
}

/** `main (clean) [ahead 2]`, or `main: 1 staged, 2 modified`. */
export function summarizeGitStatus(status: GitStatus, quote: Quote): string {
  const branch = status.branch === undefined ? '' : quote(status.branch, NAME_LENGTH);
  if (status.clean) {
    const divergence = (['ahead', 'behind'] as const)
      .filter((way) => status[way] > 0)
      .map((way) => `${way} ${status[way]}`);
    return `${branch} (clean)${divergence.length === 0 ? '' : ` [${divergence.join(', ')}]`}`.trimStart();
  }
  const counts = PARTS.filter((part) => status[part] > 0).map((part) => `${status[part]} ${part}`);
  return `${branch === '' ? '' : `${branch}: `}${counts.join(', ') || 'not clean, nothing listed'}`;
}

const SHORT_LINE = /^(?:## |[ MADRCUT?!]{2} \S)/;
const LONG_HEAD = /^(?:On branch (.+)|(HEAD detached .+)|Not currently on .+)$/m;
const SHORT_HEAD = /^## (?:No commits yet on |Initial commit on )?(.+?)(?:\.\.\..*?)?(?: \[[^[\]]{1,60}\])?$/m;
const DIVERGED = /^.*and have (\d{1,9}) and (\d{1,9}) different commits? each/m;
const NOTHING_TO_COMMIT = /^nothing (?:added )?to commit\b.*(?:clean|not staged|create\/copy)/m;

/** Undefined unless the text has the short format of `git status`, with a code and a path on each line, or the long one. */
export function readGitStatus(text: string): GitStatus | undefined {
  const lines = nearLines(text);
  const isShort = lines.every((line) => SHORT_LINE.test(line));
  const shown = lines.join('\n');
  if (!isShort && !LONG_HEAD.test(shown)) return undefined;
  const parts = isShort ? lines.flatMap(partsOf) : listedParts(lines);
  const counts = PARTS.map((part) => [part, parts.filter((one) => one === part).length]);
  const [mine, theirs] = groupsIn(DIVERGED, shown);
  const divergence = (way: string) =>
    groupsIn(new RegExp(`^(?:## .{1,500}\\[.{0,60}?${way}|Your branch is ${way} .* by) (\\d{1,9})`, 'm'), shown)[0];
  return {
    ...(Object.fromEntries(counts) as Record<Part, number>),
    branch: groupsIn(isShort ? SHORT_HEAD : LONG_HEAD, shown).find(Boolean),
    ahead: Number(mine ?? divergence('ahead') ?? 0),
    behind: Number(theirs ?? divergence('behind') ?? 0),
    clean: isShort ? lines.every((line) => line.startsWith('## ')) : NOTHING_TO_COMMIT.test(shown),
  };
}

function partsOf(line: string): Part[] {
  const code = line.slice(0, 2);
  if (code === '??') return ['untracked'];
  if (code === '!!') return [];
  if (/U|AA|DD/.test(code)) return ['unmerged'];
  return [...(code[0] === ' ' ? [] : (['staged'] as const)), ...(code[1] === ' ' ? [] : (['modified'] as const))];
}

const TITLES: ReadonlyMap<string, Part> = new Map([
  ['Changes to be committed:', 'staged'],
  ['Changes not staged for commit:', 'modified'],
  ['Unmerged paths:', 'unmerged'],
  ['Untracked files:', 'untracked'],
]);

function listedParts(lines: readonly string[]): Part[] {
  let part: Part | undefined;
  return lines.flatMap((line) => {
    if (/^\S/.test(line)) part = TITLES.get(line);
    return part !== undefined && line.startsWith('\t') ? [part] : [];
  });
}

interface GitDiff {
  /** Files named in the output, in the order of the diff. */
  readonly files: readonly string[];
  readonly total?: number;
  /** Undefined if the output shows no line counts. */
  readonly added?: number;
  readonly removed?: number;
  readonly more?: boolean;
}

const MAX_FILES = 4;

/** `3 files, +12/-4 lines (diff). a.ts, b.ts, c.ts`. `type` names the comparison. */
export function summarizeGitDiff(diff: GitDiff, type: string, quote: Quote): string {
  const { files, total = files.length, added, removed = 0, more } = diff;
  if (total === 0) return `No changes (${type})`;
  const lines = added === undefined ? '' : `, +${added}/-${removed} lines`;
  const shown = files.filter((file) => file !== '');
  const names = formatList(shown, MAX_FILES, (file) => quote(file, FILE_LENGTH));
  return `${more ? 'at least ' : ''}${total} files${lines} (${type})${names === '' ? '' : `. ${names}`}`;
}

const STAT_TOTAL = /^ (\d{1,9}) files? changed(?:, (\d{1,9}) insertions?\(\+\))?(?:, (\d{1,9}) deletions?\(-\))?$/;
const STAT_LINE = /^ (\S.{0,400}?) {1,200}\| {1,20}(?:\d+|Bin\b)/;

/** Undefined unless the text is a patch or the output of `--stat`. */
export function readGitDiff(text: string): GitDiff | undefined {
  const lines = nearLines(text);
  return lines.length === 0 ? { files: [], added: 0, removed: 0 } : (readPatch(lines) ?? readStat(lines));
}

function readPatch(lines: readonly string[]): GitDiff | undefined {
  const files: string[] = [];
  let [added, removed] = [0, 0];
  let inHunk = false;
  for (const line of lines) {
    if (line.startsWith('diff --')) {
      const [name = ''] = [/ b\/(.+)$/, / (\S+)$/].flatMap((pattern) => groupsIn(pattern, line));
      files.push(name);
      inHunk = false;
    } else if (line.startsWith('@@')) inHunk = true;
    else if (inHunk && line.startsWith('+')) added++;
    else if (inHunk && line.startsWith('-')) removed++;
  }
  return files.length === 0 ? undefined : { files, added, removed };
}

function readStat(lines: readonly string[]): GitDiff | undefined {
  const files = lines.flatMap((line) => groupsIn(STAT_LINE, line));
  const totals = lines.map((line) => groupsIn(STAT_TOTAL, line)).filter((counts) => counts.length > 0);
  if (totals.length === 0) return files.length === 0 ? undefined : { files };
  const sum = (group: number) => sumOf(totals, (counts) => Number(counts[group] ?? 0));
  return { files, total: sum(0), added: sum(1), removed: sum(2) };
}

type Commit = Readonly<Record<'hash' | 'message', string>>;

/** Commits, newest first; `total` and `more` count commits that are not listed. */
interface GitLog {
  readonly commits: readonly Commit[];
  readonly total?: number;
  readonly more?: boolean;
}

const MAX_COMMITS = 3;
const MESSAGE_LENGTH = 30;
/** Longer hashes are shortened to git's default length. */
const SHORT_HASH = 7;
const LONGEST_SHORT = 12;

/** `15 commits. Recent: abc1234 Fix it, def5678 Add more... (+13 more)`. */
export function summarizeGitLog({ commits, total = commits.length, more }: GitLog, quote: Quote): string {
  if (total === 0) return 'No commits found';
  const recent = formatList(commits, MAX_COMMITS, ({ hash, message }) =>
    `${quote(hash, LONGEST_SHORT)} ${message === '' ? '' : quote(message, MESSAGE_LENGTH)}`.trimEnd(),
  );
  return `${more ? 'at least ' : ''}${total} commits. Recent: ${recent}`;
}

/** Graph characters before a commit in `git log --graph`. */
const GRAPH = /^[*|\\/_ ]{0,40}\* (?=commit |[0-9a-f]{7})/;
const ONE_LINE = /^([0-9a-f]{7,40})(?: \((?:HEAD|tag: |origin\/|[^()]{1,200}, )[^()]{0,200}\))?(?: (.*))?$/;
const FULL_HASH = /^commit ([0-9a-f]{7,40})\b/;
const FULL_MESSAGE = /^(?:[|\\/_ ]{0,40})? {4}(\S.*)$/;

/** Undefined for an unknown format, such as a custom `--format`. */
function readGitLog(text: string): Commit[] | undefined {
  const lines = nearLines(text).map((line) => line.replace(GRAPH, ''));
  const [first = ''] = lines;
  if (lines.length > 0 && !FULL_HASH.test(first) && !ONE_LINE.test(first)) return undefined;
  const commits: { hash: string; message: string }[] = [];
  for (const line of lines) {
    const last = commits.at(-1);
    const [hash, message = ''] = groupsIn(FULL_HASH.test(first) ? FULL_HASH : ONE_LINE, line);
    if (hash !== undefined)
      commits.push({ hash: hash.length > LONGEST_SHORT ? hash.slice(0, SHORT_HASH) : hash, message });
    else if (last?.message === '') last.message = groupsIn(FULL_MESSAGE, line).join('');
  }
  return commits;
}

import { groupsIn, ownOf } from '../../protocol/fields.ts';
import { sumOf } from '../../text/sum-of.ts';
import { comparedCommand } from '../shell/command-words.ts';
import { formatList } from './found-files.ts';
import { FILE_LENGTH, firstLines, NAME_LENGTH, type Quote } from './text-result.ts';

/** Commands whose output is summarized. Scripts and command substitutions are not parsed. */
const KNOWN = /^git (?:-C \S+ |--no-pager )*(status|diff|show|log)\b([^;&|<`$()\n]*)$/;
/** Matches output redirected to a file, and a command in the background; redirecting stderr is allowed. */
const REDIRECTED = /(?<!2)>|&\s*$/;
const PAGED = /\|\s*(head|tail)(?: -n? ?(\d{1,9}))?\s*$/;

interface Output {
  readonly shown: string;
  readonly isCut: boolean;
  /** The two states that the diff compares. */
  readonly comparison: string;
}

type Summarize = (output: Output, quote: Quote) => string | undefined;

/** Summarizes a command's output; undefined for an unknown format. @param isPart claude kept only its beginning */
export function summarizeOutput(command: string, text: string, isPart: boolean, quote: Quote): string | undefined {
  const [verb = '', words = ''] = REDIRECTED.test(command) ? [] : groupsIn(KNOWN, comparedCommand(command).text);
  const [viewer, count = 10] = groupsIn(PAGED, command);
  const lines = firstLines(text);
  const isCut = isPart || (viewer !== undefined && lines.length >= Number(count));
  const comparison = /--(?:staged|cached)\b/.test(words) ? 'staged' : verb;
  return ownOf(SUMMARIES, verb)?.({ shown: lines.join('\n'), isCut, comparison }, quote);
}

const SUMMARIES: Readonly<Record<string, Summarize>> = {
  status: summarizeStatus,
  log: summarizeLog,
  diff: summarizeDiff,
  show: summarizeDiff,
};

const SHORT_LINE = /^(?:## |[ MADRCUT?!]{2} \S)/;

/** The branch in both formats of `git status`. */
const BRANCH =
  /^(?:## (?:No commits yet on |Initial commit on )?|On branch |(?=HEAD detached )|Not currently on .+)(.*?)(?:\.\.\..*?)?(?: \[[^[\]]{1,60}\])?$/m;

const DIVERGENCE = [
  ['ahead', /(?:\bahead (?:of .{1,500} by )?|^and have )(\d{1,9})/m],
  ['behind', /(?:\bbehind (?:.{1,500} by )?|^and have \d{1,9} and )(\d{1,9})/m],
] as const;

/** Parts of the working tree: the name, the title in the long format, and the codes in the short format. */
const PARTS = [
  ['staged', 'Changes to be committed:', /^(?!AA|DD|.U)[MADRCT]/gm],
  ['modified', 'Changes not staged for commit:', /^(?!AA|DD|U).[MADRCT]/gm],
  ['unmerged', 'Unmerged paths:', /^(?:U|.U|AA|DD)/gm],
  ['untracked', 'Untracked files:', /^\?\?/gm],
] as const;

/** `main (clean) [ahead 2]`, or `main: 1 staged, 2 modified`. */
function summarizeStatus({ shown }: Output, quote: Quote): string | undefined {
  const isShort = shown === '' || shown.split('\n').every((line) => SHORT_LINE.test(line));
  const [name] = groupsIn(BRANCH, shown);
  if (!isShort && name === undefined) return undefined;
  const branch = name && quote(name, NAME_LENGTH);
  const counts = countsIn(shown, isShort);
  if (counts.length === 0 && (isShort || /^nothing to commit\b/m.test(shown)))
    return `${branch ?? ''} (clean)${divergence(shown)}`.trimStart();
  return `${branch ? `${branch}: ` : ''}${counts.join(', ') || 'not clean, nothing listed'}`;
}

function countsIn(shown: string, isShort: boolean): string[] {
  const sections = shown.split(/\n(?=\S)/);
  return PARTS.flatMap(([part, title, code]) => {
    const listed = sections.find((section) => section.startsWith(title));
    const paths = isShort ? shown.match(code) : listed?.match(/^\t/gm);
    return paths ? [`${paths.length} ${part}`] : [];
  });
}

function divergence(shown: string): string {
  const ways = DIVERGENCE.flatMap(([way, pattern]) => groupsIn(pattern, shown).map((count) => `${way} ${count}`));
  return ways.length === 0 ? '' : ` [${ways.join(', ')}]`;
}

const MAX_FILES = 4;

/** The file in the first line of a patch. */
const PATCHED_FILE = /(?: b\/| (?=\S+$))(.+)$/m;
const STAT_FILE = /^ (\S.{0,400}?) {1,200}\| {1,20}(?:\d+|Bin\b)/gm;
const STAT_TOTAL = /^ (\d{1,9}) files? changed(?:, (\d{1,9}) insertions?\(\+\))?(?:, (\d{1,9}) deletions?\(-\))?$/gm;

/** `3 files, +12/-4 lines (diff). a.ts, b.ts, c.ts`, from a patch or the output of `--stat`. */
function summarizeDiff({ shown, isCut, comparison }: Output, quote: Quote): string | undefined {
  if (shown === '') return `No changes (${comparison})`;
  const patches = shown.split(/^diff --/m).slice(1);
  const files =
    patches.length === 0
      ? Array.from(shown.matchAll(STAT_FILE), ([, file = '']) => file)
      : patches.flatMap((patch) => groupsIn(PATCHED_FILE, patch));
  // The closing line of `--stat` counts all files.
  const totals = Array.from(shown.matchAll(STAT_TOTAL), ([, ...counts]) => counts.map((count) => Number(count ?? 0)));
  const counts = patches.length === 0 ? totals : patches.map(changesIn);
  const sum = (index: number) => sumOf(counts, (each) => each[index] ?? 0);
  const total = counts.length === 0 ? files.length : sum(0);
  if (total === 0) return undefined;
  const qualifier = isCut && totals.length === 0 ? 'at least ' : '';
  const lines = counts.length === 0 ? '' : `, +${sum(1)}/-${sum(2)} lines`;
  const names = formatList(files, MAX_FILES, (file) => quote(file, FILE_LENGTH));
  return `${qualifier}${total} files${lines} (${comparison})${names && `. ${names}`}`;
}

/** Counts of a patch of one file: 1 file, its added lines, its removed lines. */
function changesIn(patch: string): number[] {
  const hunks = patch.split(/^@@/m).slice(1).join('');
  return [1, hunks.match(/^\+/gm)?.length ?? 0, hunks.match(/^-/gm)?.length ?? 0];
}

const MAX_COMMITS = 3;
const MESSAGE_LENGTH = 30;
/** Longer hashes are shortened to git's default length. */
const SHORT_HASH = 7;
const LONGEST_SHORT = 12;

/** Graph characters before a commit in `git log --graph`. */
const GRAPH = /^[*|\\/_ ]{0,40}\* (?=commit |[0-9a-f]{7})/gm;
const STARTS_WITH_COMMIT = /^(?:commit )?[0-9a-f]{7,40}(?:\s|$)/;
const ONE_LINE = /^([0-9a-f]{7,40})(?: \((?:HEAD|tag: |origin\/|[^()]{1,200}, )[^()]{0,200}\))?(?: (.*))?$/;
const FULL_MESSAGE = /^(?:[|\\/_ ]{0,40})? {4}(\S.*)$/m;

type Commit = readonly [hash: string, message: string];

/** Summarizes `git log`; undefined for an unknown format, such as a custom `--format`. */
function summarizeLog({ shown, isCut }: Output, quote: Quote): string | undefined {
  if (shown === '') return 'No commits found';
  const text = shown.replace(GRAPH, '');
  if (!STARTS_WITH_COMMIT.test(text)) return undefined;
  const [, ...full] = text.split(/^commit (?=[0-9a-f]{7,40}\b)/m);
  const commits = full.map(
    (commit): Commit => [commit.split(/\W/, 1).join(''), groupsIn(FULL_MESSAGE, commit).join('')],
  );
  const listed = text.split('\n').flatMap((line): Commit[] => {
    const [hash, message = ''] = groupsIn(ONE_LINE, line);
    return hash === undefined ? [] : [[hash, message]];
  });
  return `${isCut ? 'at least ' : ''}${summarizeCommits(full.length > 0 ? commits : listed, quote)}`;
}

/** `15 commits. Recent: abc1234 Fix it, def5678 Add more... (+13 more)`; the newest commit comes first. */
export function summarizeCommits(commits: readonly Commit[], quote: Quote, total = commits.length): string {
  const recent = formatList(commits, MAX_COMMITS, ([hash, message]) => {
    const short = hash.length > LONGEST_SHORT ? hash.slice(0, SHORT_HASH) : hash;
    return `${quote(short, LONGEST_SHORT)} ${message && quote(message, MESSAGE_LENGTH)}`.trimEnd();
  });
  return `${total} commits. Recent: ${recent}`;
}

import { fieldsOf, textOf } from '../../protocol/fields.ts';
import { commandEnd } from '../entries/command-facts.ts';
import { describeResult } from '../entries/describe.ts';
import type { CommandFacts } from '../entry.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import { readArguments } from '../shell/shell-arguments.ts';
import type { Word } from '../shell/shell-lists.ts';
import {
  type Counted,
  readMatchCounts,
  readMatches,
  summarizeMatchCounts,
  summarizeMatchingFiles,
} from './found-files.ts';
import {
  readGitDiff,
  readGitLog,
  readGitStatus,
  summarizeGitDiff,
  summarizeGitLog,
  summarizeGitStatus,
} from './git-output.ts';
import type { KnownCommand } from './known-command.ts';
import { bare, countLines, describeKept, nearLines, type Quote, summarizeText, TEXT } from './text-result.ts';

/** Commands whose exit status 1 is an answer: nothing found, or a difference. */
const ANSWERS: ReadonlySet<KnownCommand['kind']> = new Set(['grep', 'diff']);

interface TakenApart extends CommandFacts {
  /** Undefined where its output has no form that can be summed up. */
  readonly known: KnownCommand | undefined;
}

/** The command, how it ended, and a summary of its output, or else the last line. */
export function summarizeCommand(ended: EndedCall, command: TakenApart, quote: Quote): string {
  const head = `${bare(ended.call.use.name)} ${quote(command.text, TEXT)} ${commandEnd(command, ended.outcome)}`;
  const summary = summaryOf(ended, command, quote);
  return summary === '' ? head : `${head} — ${summary}`;
}

function summaryOf(ended: EndedCall, command: TakenApart, quote: Quote): string {
  const { outcome, result, call } = ended;
  const { exit, background } = command;
  if (background && exit === null) return '';
  const known = outcome === 'ok' || exit === 1 ? command.known : undefined;
  if (outcome === 'ok' || (known !== undefined && ANSWERS.has(known.kind))) return outputOf(ended, known, quote);
  const said = describeResult(call.use.name, outcome, result.text);
  return said === '' ? '' : quote(said, TEXT);
}

function outputOf(ended: EndedCall, known: KnownCommand | undefined, quote: Quote): string {
  const printed = printedBy(ended);
  const kept = describeKept(ended, quote);
  const summary = known && summarizeOutput(kept === undefined ? known : { ...known, limit: 0 }, printed, quote);
  if (summary !== undefined) return kept === undefined ? summary : `${summary}; ${kept}`;
  return kept ?? (printed.trim() === '' ? 'no output' : summarizeText(printed, 'last', quote));
}

/** What claude adds to the output. */
const BESIDE = /(?:^|\n)Shell cwd was reset to [^\n]{0,1000}\s{0,9}$/;
const BEFORE = /^(?:Error: )?Exit code \d{1,3}(?:\n|$)/;
const NOTHING = /^\(\S+ completed with no output\)$/;

function printedBy({ report, result }: EndedCall): string {
  const { stdout, stderr } = fieldsOf(report);
  const output = textOf(stdout) ?? result.text.replace(BEFORE, '');
  const errors = (textOf(stderr) ?? '').trim();
  // Some versions of claude report the two apart; a failing program says why on stderr.
  const whole = output.trim() === '' ? errors : output;
  const tail = whole.slice(-2_000);
  const clean = whole.slice(0, whole.length - tail.length) + tail.replace(BESIDE, '');
  return NOTHING.test(clean) ? '' : clean;
}

/** A summary of what a command printed; undefined if its format is not known. */
function summarizeOutput(known: KnownCommand, output: string, quote: Quote): string | undefined {
  const printed = withoutErrors(known.words[0]?.text ?? '', output);
  switch (known.kind) {
    case 'status':
      return told(readGitStatus(printed), (status) => summarizeGitStatus(status, quote));
    case 'diff':
      return summarizeDiff(known, printed, quote);
    case 'log':
      return told(readGitLog(printed), (commits) => summarizeGitLog({ commits, more: isCut(known, printed) }, quote));
    case 'grep':
      return summarizeMatches(known, printed, quote);
  }
}

/** Some versions of claude mix stderr into the output. */
function withoutErrors(program: string, output: string): string {
  const mark = `${program}: `;
  const lines = output.split('\n').filter((line) => !line.startsWith(mark));
  return output.includes(mark) ? lines.join('\n') : output;
}

function told<T>(found: T | undefined, tell: (found: T) => string): string | undefined {
  return found && tell(found);
}

/** Whether there may be more than was shown. */
function isCut({ limit }: KnownCommand, printed: string): boolean {
  return limit !== undefined && countLines(printed) >= limit;
}

function summarizeDiff(known: KnownCommand, printed: string, quote: Quote): string | undefined {
  const options = known.words.slice(1).map(({ text, raw }) => text ?? raw);
  const isShow = known.words[0]?.text === 'show';
  const namesOnly = options.some((option) => option === '--name-only' || option === '--name-status');
  // `git show` puts a commit before the names, and prints a file where one is named.
  if (isShow && (namesOnly || known.words.some(({ text }) => text === null || text.includes(':')))) return undefined;
  const diff = readGitDiff(printed, namesOnly);
  if (diff === undefined) return undefined;
  const isStaged = options.some((option) => option === '--staged' || option === '--cached');
  const type = isShow ? 'show' : isStaged ? 'staged' : 'diff';
  // The closing line of `--stat` counts all of them.
  const more = diff.total === undefined && isCut(known, printed);
  return summarizeGitDiff({ ...diff, more }, type, quote);
}

function summarizeMatches(known: KnownCommand, printed: string, quote: Quote): string | undefined {
  const found = readArguments(known.words.slice(1), SEARCH);
  if (found === undefined) return undefined;
  const { options, operands } = found;
  const has = (...names: readonly string[]) => names.some((name) => options.has(name));
  const searched = operands.slice(has('e', 'f', 'regexp') ? 0 : 1);
  const tell = (counts: readonly Counted[]) => summarizeMatchCounts({ counts, more: isCut(known, printed) }, quote);
  if (has('l', 'L', 'files-with-matches')) {
    const lines = nearLines(printed);
    const files = lines.filter((line) => line !== '');
    return summarizeMatchingFiles(files, isCut(known, printed), quote);
  }
  const only = onlyFile(known.words[0]?.text ?? '', searched, has);
  if (has('c', 'count')) return only === undefined ? tell(readMatchCounts(printed)) : undefined;
  if (only === undefined && (has('h', 'no-filename') || isUncertain(known.words, searched, has))) return undefined;
  const lines = { only, numbered: has('n', 'line-number') || undefined, context: has('A', 'B', 'C') };
  return told(readMatches(printed, lines), tell);
}

/** Whether the lines name their files depends on how many files a pattern matched. */
function isUncertain(words: readonly Word[], searched: readonly Word[], has: Has): boolean {
  if (has('n', 'line-number', 'r', 'R', 'recursive', 'H', 'with-filename')) return false;
  return searched.length === 0 ? /grep$/.test(words[0]?.raw ?? '') : searched.every(({ text }) => text === null);
}

type Has = (...names: readonly string[]) => boolean;

/** The file that was searched, where that is one and the lines do not name it. */
function onlyFile(program: string, searched: readonly Word[], has: Has): string | undefined {
  const [first, ...others] = searched;
  if (first?.text == null || others.length > 0 || has('H', 'with-filename')) return undefined;
  const isFile = program === 'rg' ? /[^/\\]\.\w{1,12}$/.test(first.text) : !has('r', 'R', 'recursive');
  return isFile ? first.text : undefined;
}

/** Options of a search of which it is known what they do to its output. */
const SEARCH = [
  '-r -R -n -l -H -h -i -w -E -F -G -P -v -o -s -a -x -S -u -I -U -b -L -c -0 -1 -2 -3 -4 -5 -6 -7 -8 -9',
  '--color --colour --line-number --recursive --ignore-case --files-with-matches --count --hidden --no-heading',
  '--no-ignore --with-filename --no-filename --word-regexp --extended-regexp --only-matching --fixed-strings',
  '--perl-regexp --invert-match --no-messages --untracked --cached --smart-case',
  '-e= -f= -A= -B= -C= -m= -g= -t= -T= --regexp= --include= --exclude= --exclude-dir= --glob= --type=',
].join(' ');

import { type Command, programIn, type Redirect, readArguments, shellLists, type Word } from '../shell/shell-lists.ts';
import { type Counted, readMatches, summarizeMatchCounts } from './found-files.ts';
import {
  readGitDiff,
  readGitLog,
  readGitStatus,
  summarizeGitDiff,
  summarizeGitLog,
  summarizeGitStatus,
} from './git-output.ts';
import { countLines, type Quote } from './text-result.ts';

/** A command whose output has a form that can be summed up. */
interface KnownCommand {
  /** A search, or the verb of git. */
  readonly program: string;
  /** The program's own words, such as `diff` and what follows it. */
  readonly words: readonly Word[];
  /** Lines that its output was cut to, 0 if not known; infinite if it was not cut. */
  readonly limit: number;
}

/** Longer commands are scripts. */
const NEAR = 2_000;

/** Without one of these words the command is not parsed. */
const MAY_BE_KNOWN = /\b(?:git|[ef]?grep|rg)\b/;

/** They print nothing. */
const SILENT = new Set(['cd', 'export', 'set', 'source', '.', 'true', ':', 'sleep', 'mkdir']);
/** Behind a pipe they leave lines unchanged. */
const VIEWERS = new Set(['cat', 'less', 'sort', 'head', 'tail']);
const CUTTERS = new Set(['head', 'tail']);
/** Discards stdout; discarding stderr is fine. */
const DROPS_OUTPUT = /(?:^|[^2>])>{1,2}\s{0,9}\/dev\/null/;

const KNOWN = /^(?:git (?:status|diff|show|log)|[ef]?grep|rg)$/;

/** Undefined if something else prints too, or if the output goes to another program or a file. */
function knownCommand(command: string): KnownCommand | undefined {
  if (command.length > NEAR || !MAY_BE_KNOWN.test(command) || DROPS_OUTPUT.test(command)) return undefined;
  const list = shellLists(command) ?? [];
  // What runs in the background may print at any time.
  if (list.some(({ background }) => background)) return undefined;
  const [link, ...others] = list.flatMap(({ links }) => links).filter(({ commands }) => !isSilent(commands));
  const [first, ...viewers] = link?.commands ?? [];
  if (others.length > 0 || first?.kind !== 'simple' || !first.redirects.every(isHarmless)) return undefined;
  if (!viewers.every(isViewer)) return undefined;
  const own = programIn(first.words);
  const isGit = own[0]?.text === 'git';
  const [name, ...words] = isGit ? withoutOptions(own.slice(1)) : own;
  const program = name?.text ?? '';
  if (!KNOWN.test(isGit ? `git ${program}` : program)) return undefined;
  const limits = viewers.filter((viewer) => CUTTERS.has(programOf(viewer))).map(limitOf);
  return { program, words, limit: Math.min(...limits) };
}

function isSilent([only, ...others]: readonly Command[]): boolean {
  return only?.kind === 'simple' && others.length === 0 && (only.words.length === 0 || SILENT.has(programOf(only)));
}

function isViewer(command: Command): boolean {
  return (
    VIEWERS.has(programOf(command)) &&
    command.redirects.every(isHarmless) &&
    // A file's name would make it print that file instead.
    command.words.slice(1).every(({ text }) => text !== null && /^(?:-\S*|\+?\d+)$/.test(text))
  );
}

/** Lines that `head` and `tail` show. */
function limitOf({ words }: Command): number {
  const options = words.slice(1).map(({ text }) => text ?? '');
  return options.length === 0 ? 10 : Number(/^-n? ?(\d{1,9})$/.exec(options.join(' '))?.[1] ?? 0);
}

function programOf({ kind, words }: Command): string {
  return kind === 'simple' ? (words[0]?.text ?? '') : '';
}

function isHarmless({ operator, target }: Redirect): boolean {
  return operator.startsWith('<') || operator === '>&' || target.text === '/dev/null';
}

/** The words behind git's own options. */
function withoutOptions(words: readonly Word[]): readonly Word[] {
  let at = 0;
  while (words[at]?.text?.startsWith('-') === true) at += words[at]?.text === '-C' || words[at]?.text === '-c' ? 2 : 1;
  return words.slice(at);
}

export function isKnownCommand(command: string): boolean {
  return knownCommand(command) !== undefined;
}

export interface Printed {
  readonly text: string;
  /** claude kept only the beginning of it. */
  readonly isPart: boolean;
}

/** A summary of what a command printed; undefined if its format is not known. */
export function summarizeOutput(command: string, { text, isPart }: Printed, quote: Quote): string | undefined {
  const known = knownCommand(command);
  if (known === undefined) return undefined;
  const more = isPart || countLines(text) >= known.limit;
  switch (known.program) {
    case 'status': {
      const status = readGitStatus(text);
      return status && summarizeGitStatus(status, quote);
    }
    case 'diff':
    case 'show': {
      const diff = readGitDiff(text);
      // The closing line of `--stat` counts all files.
      return diff && summarizeGitDiff({ ...diff, more: diff.total === undefined && more }, comparedBy(known), quote);
    }
    case 'log': {
      const commits = readGitLog(text);
      return commits && summarizeGitLog({ commits, more }, quote);
    }
    default: {
      const counts = readSearch(known, text);
      return counts && summarizeMatchCounts({ counts, more }, quote);
    }
  }
}

function comparedBy({ program, words }: KnownCommand): string {
  const isStaged = words.some(({ text }) => text === '--staged' || text === '--cached');
  return program === 'diff' && isStaged ? 'staged' : program;
}

function readSearch({ program, words }: KnownCommand, output: string): readonly Counted[] | undefined {
  const found = readArguments(words, SEARCH);
  if (found === undefined) return undefined;
  // Some versions of claude mix stderr into the output.
  const text = output.replace(/^(?:[ef]?grep|rg): .*\n?/gm, '');
  const has = (...names: readonly string[]) => names.some((name) => found.options.has(name));
  const [searched, ...others] = found.operands.slice(has('e', 'f', 'regexp') ? 0 : 1);
  const isRecursive =
    has('r', 'R', 'recursive') || (program === 'rg' && !/[^/\\]\.\w{1,12}$/.test(searched?.raw ?? ''));
  const isOne = searched !== undefined && others.length === 0 && !isRecursive && !has('H', 'with-filename');
  const numbered = has('n', 'line-number') || undefined;
  if (isOne && searched.text !== null) return readMatches(text, { only: searched.text, numbered, context: false });
  // Whether the lines name their files depends on how many files a pattern matched.
  const isUncertain = isOne || (searched === undefined && program !== 'rg' && !isRecursive);
  return isUncertain && !numbered ? undefined : readMatches(text, { only: undefined, numbered, context: false });
}

/** Options of a search that leave its output lines with matches, each with its file unless only one was searched. */
const SEARCH = [
  '-r -R -n -H -i -w -E -F -G -P -v -o -s -a -x -S -u -I -U -b',
  '--color --colour --line-number --recursive --ignore-case --hidden --no-heading --no-ignore --with-filename',
  '--word-regexp --extended-regexp --only-matching --fixed-strings --perl-regexp --invert-match --no-messages',
  '--untracked --cached --smart-case',
  '-e= -f= -m= -g= -t= -T= --regexp= --include= --exclude= --exclude-dir= --glob= --type=',
].join(' ');

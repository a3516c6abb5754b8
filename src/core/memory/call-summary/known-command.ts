import { type Command, programIn, type Redirect, shellLists, type Word } from '../shell/shell-lists.ts';

/** A command whose output has a form that can be summed up. */
export interface KnownCommand {
  readonly kind: 'status' | 'diff' | 'log' | 'grep';
  /** The program's own words, such as `diff` and what follows it. */
  readonly words: readonly Word[];
  /** Lines that its output was cut to, 0 if not known; absent if it was not cut. */
  readonly limit?: number;
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

const KINDS: ReadonlyMap<string, KnownCommand['kind']> = new Map<string, KnownCommand['kind']>([
  ['git status', 'status'],
  ['git diff', 'diff'],
  ['git show', 'diff'],
  ['git log', 'log'],
  ['grep', 'grep'],
  ['egrep', 'grep'],
  ['fgrep', 'grep'],
  ['rg', 'grep'],
]);

/** Undefined if something else prints too, or if the output goes to another program or a file. */
export function knownCommand(command: string): KnownCommand | undefined {
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
  const words = isGit ? gitWords(own.slice(1)) : own;
  const kind = KINDS.get(`${isGit ? 'git ' : ''}${words[0]?.text ?? ''}`);
  const limits = viewers.filter((viewer) => CUTTERS.has(programOf(viewer))).map(limitOf);
  return kind && { kind, words, ...(limits.length === 0 ? {} : { limit: Math.min(...limits) }) };
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
function gitWords(words: readonly Word[]): readonly Word[] {
  let at = 0;
  while (words[at]?.text?.startsWith('-') === true) at += words[at]?.text === '-C' || words[at]?.text === '-c' ? 2 : 1;
  return words.slice(at);
}

import type { FactKind, FactTally } from '../../governor/decisions.ts';
import { LINE_LENGTH, oneLine } from '../words.ts';

/** Facts that must not be lost: reports name them. */
export const TOLD_KINDS: readonly FactKind[] = ['prompts', 'constraints', 'failing', 'again', 'deadEnds'];

export const FACT_KINDS: readonly FactKind[] = [...TOLD_KINDS, 'paths', 'commands'];

/** A fact, and the pattern that a text must match to contain it. */
export interface Fact {
  readonly kind: FactKind;
  /** Its name in reports. */
  readonly name: string;
  /** Stands there whole, not as a part of something longer: `npm test` is not in `npm test -- --run`. */
  readonly whole: string;
  /** A path may be followed by any word; after words and commands the sentence, the quotation or the line ends. */
  readonly isPath?: true;
  /** Without quotation marks: a writer may set others. */
  readonly isUnmarked?: true;
  /** It was too long, or had several lines: what follows it is not looked at. */
  readonly isOpen?: true;
  /** Must be near it, in the same line or one of the next two: a name alone says nothing about it. */
  readonly beside?: RegExp;
  /** Stands in its place. */
  readonly or?: Fact;
}

/** A text as facts are looked for in it: without case, and with one mark for all quotation marks. */
export interface Searchable {
  /** With its line breaks. */
  readonly lines: string;
  /** On one line, for what has several lines itself. */
  readonly flat: string;
}

export function searchable(text: string): Searchable {
  const lines = text
    .split(/[\r\n\u2028\u2029]+/)
    .map(normalised)
    .join('\n');
  return { lines, flat: lines.replaceAll('\n', ' ') };
}

/** Without case and differences in white space, with one mark for all quotation marks. */
function normalised(text: string): string {
  return text
    .replace(/[`'"*‘’“”]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** A normalised text without its quotation marks. */
function unmarked(text: string): string {
  return text.replaceAll("'", '');
}

/** Whether a text contains the fact, so that its reader knows it. */
export function holds(text: Searchable, fact: Fact): boolean {
  if (fact.or !== undefined && holds(text, fact.or)) return true;
  const { whole, isOpen, isUnmarked, beside } = fact;
  if (whole === '') return true;
  const marked = isOpen ? text.flat : text.lines;
  const within = isUnmarked ? unmarked(marked) : marked;
  for (let at = within.indexOf(whole); at >= 0; at = within.indexOf(whole, at + 1)) {
    const end = at + whole.length;
    if (isWholeAt(within, at, fact) && (beside === undefined || beside.test(around(within, at, end)))) return true;
  }
  return false;
}

function isWholeAt(text: string, at: number, { whole, isPath, isOpen }: Fact): boolean {
  const end = at + whole.length;
  const before = text.slice(Math.max(0, at - 300), at);
  if (isPath) return isWholePath(whole, before, text.slice(end, end + 3));
  if (isOpen) return /(?:^|[\s'([>])$/.test(before);
  return BEGINS.test(before) && ENDS.test(text.slice(end, end + 8));
}

const BEGINS = /(?:^|[\n'([>「『]|[:$>-] |[.!?;] |[。！？] ?|\d[.)] |[•→] )$/;
const ENDS = /^(?:$|[\n')\]」』。！？、]|[.,;:!?…]+(?:[\s')\]]|$)| (?:\(|exit\b|[-–—→=] ))/;

/** In an absolute path a relative one is whole too, where it is more than a name. */
function isWholePath(path: string, before: string, after: string): boolean {
  if (!/^(?![\w/\\@-]|\.\w)/.test(after)) return false;
  if (!/[\w./\\@~-]$/.test(before)) return true;
  return (
    path.includes('/') &&
    !path.startsWith('/') &&
    /(?:^|[^\w./\\@~-])(?:\/|~\/|[a-z]:[\\/])(?:[\w.\\@~-]+\/)*$/.test(before)
  );
}

/** Its line and the next two: a summary uses a path as a title. */
function around(text: string, from: number, to: number): string {
  let end = to;
  for (let lines = 0; lines < 3 && end < text.length; lines++) {
    const next = text.indexOf('\n', end + 1);
    end = next < 0 ? text.length : next;
  }
  return text.slice(text.lastIndexOf('\n', from) + 1, Math.min(end, to + BESIDE));
}

/** Characters after a fact; more would reach the next item of a text on one line. */
const BESIDE = 240;

const CHANGED =
  /creat|edit|chang|modif|delet|remov|mov|renam|add|writ|wrote|updat|new|fix|implement|refactor|replac|mend|extend/;
const FAILED =
  /fail|error|exit (?:code |status )?[1-9]|brok|crash|does ?n.t|did ?n.t|does not|did not|not work|dead end|without success/;

export function pathFact(path: string, isChanged: boolean): Fact {
  const fact = { kind: 'paths', name: path, whole: normalised(path), isPath: true } as const;
  return isChanged ? { ...fact, beside: CHANGED } : fact;
}

/** A long command is known by its beginning, as far as a line of the notes goes. */
export function commandFact(kind: 'failing' | 'again' | 'commands', text: string): Fact {
  return { kind, ...wholeOf(text), ...(kind === 'failing' ? { beside: FAILED } : {}) };
}

/** The line that the notes have, or the approach in it with a word that it failed. */
export function deadEndFact(line: string): Fact {
  const approach = /`([^`]+)`/.exec(line)?.[1];
  const fact = { kind: 'deadEnds', name: line, whole: normalised(line), isOpen: true } as const;
  if (approach === undefined) return fact;
  return { ...fact, or: { kind: 'deadEnds', ...wholeOf(approach), beside: FAILED } };
}

const OPEN = { isOpen: true } as const;

/** The user's words. Punctuation at the end makes no difference, and more may follow an ellipsis. */
export function saidFact(kind: 'prompts' | 'constraints', text: string): Fact {
  const words = wholeOf(text.trim().replace(/[.!?…。！？]+$/, ''));
  const { name } = wholeOf(text);
  const said = { kind, ...words, ...(text.endsWith('…') ? OPEN : {}), name };
  return { ...said, or: { ...said, whole: unmarked(said.whole), isUnmarked: true } };
}

function wholeOf(text: string): Pick<Fact, 'name' | 'whole' | 'isOpen'> {
  const name = oneLine(text, LINE_LENGTH);
  const isOpen = name.length < text.trim().length || /[\r\n\u2028\u2029]/.test(text.trim());
  return { name, whole: normalised(name), ...(isOpen ? { isOpen } : {}) };
}

export const NO_FACTS: FactTally = Object.fromEntries(FACT_KINDS.map((kind) => [kind, 0])) as FactTally;

export function tallyOf(facts: readonly Pick<Fact, 'kind'>[]): FactTally {
  const tally = { ...NO_FACTS };
  for (const { kind } of facts) tally[kind]++;
  return tally;
}

import type { FactKind, FactTally } from '../../governor/decisions.ts';
import { groupsIn } from '../../protocol/fields.ts';
import { collapseWhitespace, LINE_LENGTH, oneLine } from '../../text/words.ts';

/** Facts that must not be lost; reports list them by name. */
export const REPORTED_KINDS: readonly FactKind[] = ['prompts', 'failing', 'again', 'deadEnds'];

export const FACT_KINDS: readonly FactKind[] = [...REPORTED_KINDS, 'paths', 'commands'];

/** A fact, and the pattern that finds it in a text. */
export interface Fact {
  readonly kind: FactKind;
  /** Name of the fact in reports. */
  readonly name: string;
  /** Must match as a whole: `npm test` does not match in `npm test -- --run`. */
  readonly whole: string;
  /** Any word may follow a path; after other facts the sentence, the quotation or the line must end. */
  readonly isPath?: true;
  /** Compare without quotation marks, because a writer may use others. */
  readonly ignoresQuotes?: true;
  /** The text was too long or had several lines, so any text may follow the match. */
  readonly isOpen?: true;
  /** A word for failure must be in the same line or the next two: a bare name says nothing about its outcome. */
  readonly isFailure?: boolean;
  /** An alternative that also counts as a match. */
  readonly alternative?: Fact;
}

/** A text normalized for searching facts. */
export interface Searchable {
  /** Keeps line breaks. */
  readonly lines: string;
  /** On one line, to match facts that have several lines. */
  readonly oneLine: string;
}

export function searchable(text: string): Searchable {
  const lines = text
    .split(/[\r\n\u2028\u2029]+/)
    .map(normalize)
    .join('\n');
  return { lines, oneLine: lines.replaceAll('\n', ' ') };
}

/** Lower case, single spaces, and one kind of quotation mark. */
function normalize(text: string): string {
  return collapseWhitespace(text.replace(/[`'"*‘’“”]/g, "'"))
    .trim()
    .toLowerCase();
}

function withoutQuotes(text: string): string {
  return text.replaceAll("'", '');
}

export function mentionsFact(text: Searchable, fact: Fact): boolean {
  if (fact.alternative !== undefined && mentionsFact(text, fact.alternative)) return true;
  const { whole, isOpen, ignoresQuotes, isFailure } = fact;
  if (whole === '') return true;
  const marked = isOpen ? text.oneLine : text.lines;
  const within = ignoresQuotes ? withoutQuotes(marked) : marked;
  for (let at = within.indexOf(whole); at >= 0; at = within.indexOf(whole, at + 1)) {
    const end = at + whole.length;
    if (isWholeAt(within, at, fact) && (!isFailure || FAILED.test(around(within, at, end)))) return true;
  }
  return false;
}

function isWholeAt(text: string, at: number, { whole, isPath, isOpen }: Fact): boolean {
  const end = at + whole.length;
  const before = text.slice(Math.max(0, at - 300), at);
  if (isPath) return isWholePath(whole, before, text.slice(end, end + 3));
  if (isOpen) return /(?:^|[\s'([>])$/.test(before);
  return TEXT_BEFORE.test(before) && TEXT_AFTER.test(text.slice(end, end + 8));
}

const TEXT_BEFORE = /(?:^|[\n'([>「『]|[:$>-] |[.!?;] |[。！？] ?|\d[.)] |[•→] )$/;
const TEXT_AFTER = /^(?:$|[\n')\]」』。！？、]|[.,;:!?…]+(?:[\s')\]]|$)| (?:\(|exit\b|[-–—→=] ))/;

/** A relative path also matches at the end of an absolute path, unless it is only a file name. */
function isWholePath(path: string, before: string, after: string): boolean {
  if (!/^(?![\w/\\@-]|\.\w)/.test(after)) return false;
  if (!/[\w./\\@~-]$/.test(before)) return true;
  return (
    path.includes('/') &&
    !path.startsWith('/') &&
    /(?:^|[^\w./\\@~-])(?:\/|~\/|[a-z]:[\\/])(?:[\w.\\@~-]+\/)*$/.test(before)
  );
}

/** The fact's line and the next two: summaries use paths as titles. */
function around(text: string, from: number, to: number): string {
  let end = to;
  for (let lines = 0; lines < 3 && end < text.length; lines++) {
    const next = text.indexOf('\n', end + 1);
    end = next < 0 ? text.length : next;
  }
  return text.slice(text.lastIndexOf('\n', from) + 1, Math.min(end, to + TEXT_AFTER_FACT));
}

/** UTF-16 units after a fact; more would reach the next item of a text on one line. */
const TEXT_AFTER_FACT = 240;

const FAILED =
  /fail|error|exit (?:code |status )?[1-9]|brok|crash|does ?n.t|did ?n.t|does not|did not|not work|dead end|without success/;

export function pathFact(path: string): Fact {
  return { kind: 'paths', name: path, whole: normalize(path), isPath: true };
}

/** A long command is identified by its beginning, cut to the length of a line of the notes. */
export function commandFact(kind: 'failing' | 'again' | 'commands', text: string): Fact {
  return { kind, ...wholeOf(text), isFailure: kind === 'failing' };
}

/** Matches the dead end's line in the notes, or its approach near a word for failure. */
export function deadEndFact(line: string): Fact {
  const [approach] = groupsIn(/`([^`]+)`/, line);
  const fact = { kind: 'deadEnds', name: line, whole: normalize(line), isOpen: true } as const;
  if (approach === undefined) return fact;
  return { ...fact, alternative: { kind: 'deadEnds', ...wholeOf(approach), isFailure: true } };
}

/** A prompt in the user's words. Final punctuation is ignored. */
export function promptFact(text: string): Fact {
  const { name } = wholeOf(text);
  const fact = { kind: 'prompts', ...wholeOf(text.trim().replace(/[.!?…。！？]+$/, '')), name } as const;
  return { ...fact, alternative: { ...fact, whole: withoutQuotes(fact.whole), ignoresQuotes: true } };
}

function wholeOf(text: string): Pick<Fact, 'name' | 'whole' | 'isOpen'> {
  const name = oneLine(text, LINE_LENGTH);
  const isOpen = name.length < text.trim().length || /[\r\n\u2028\u2029]/.test(text.trim());
  return { name, whole: normalize(name), ...(isOpen ? { isOpen } : {}) };
}

export const NO_FACTS: FactTally = Object.fromEntries(FACT_KINDS.map((kind) => [kind, 0])) as FactTally;

export function countFacts(facts: readonly Pick<Fact, 'kind'>[]): FactTally {
  const tally = { ...NO_FACTS };
  for (const { kind } of facts) tally[kind]++;
  return tally;
}

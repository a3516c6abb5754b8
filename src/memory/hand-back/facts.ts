import type { FactTally } from '../../governor/actions.ts';
import type { Counts } from '../entry.ts';

/** What can be looked for in a summary, and what it counts as. */
export interface Fact {
  readonly kind: FactKind;
  /** Words that must stand in it, normalised by {@link wordsOf}. */
  readonly says: string;
  /** Words of which one must stand shortly before or behind: a figure alone could be about anything. */
  readonly near?: readonly string[];
}

export type FactKind = keyof FactTally;

/** As much of a text as a summary could be expected to repeat. */
const LENGTH = 100;

/** Characters between a figure and the word that says what it counts. */
const REACH = 24;

/** Without case, quotation marks and differences in white space. */
export function wordsOf(text: string): string {
  return normalised(text.slice(0, 4 * LENGTH))
    .slice(0, LENGTH)
    .trim();
}

export function normalised(text: string): string {
  return text
    .replace(/[`'"*]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

const NEAR: { readonly [K in keyof Counts]-?: readonly string[] } = {
  passed: ['pass', 'green', 'succe', ' ok'],
  failed: ['fail', 'broke', ' red'],
  skipped: ['skip', 'pending', 'todo'],
  errors: ['error'],
  warnings: ['warning'],
};

/** The figures of a run that say more than that all is well. */
export function figuresOf(counts: Counts | undefined): Fact[] {
  return Object.entries(counts ?? {}).flatMap(([key, count]) =>
    count === 0 ? [] : [{ kind: 'numbers' as const, says: String(count), near: NEAR[key as keyof Counts] }],
  );
}

/** Whether a normalised text holds the fact. */
export function holds(text: string, { says, near }: Fact): boolean {
  if (says === '') return true;
  if (near === undefined) return text.includes(says);
  for (let at = text.indexOf(says); at >= 0; at = text.indexOf(says, at + 1)) {
    const end = at + says.length;
    const isWhole =
      !/(?:\d|\d[.,])$/.test(text.slice(Math.max(0, at - 2), at)) && !/^[.,]?\d/.test(text.slice(end, end + 2));
    const around = text.slice(Math.max(0, at - REACH), end + REACH);
    if (isWhole && near.some((word) => around.includes(word))) return true;
  }
  return false;
}

export function tallyOf(facts: readonly Fact[]): FactTally {
  const tally = { paths: 0, commands: 0, numbers: 0, deadEnds: 0 };
  for (const { kind } of facts) tally[kind]++;
  return tally;
}

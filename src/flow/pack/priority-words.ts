import { head } from './characters.ts';
import type { Tier } from './priority.ts';

/** Words of a step's id. Where an id has several, the most important counts. */
export const ID_WORDS: Readonly<Record<Tier, readonly string[]>> = {
  CRITICAL: ['critic', 'decider', 'decision'],
  HIGH: ['implement', 'author', 'test'],
  MEDIUM: ['analyze', 'assess', 'load', 'risk'],
  LOW: ['normalize', 'frame', 'report', 'history'],
};

/** Words of an output's beginning; `build_receipt` counts by its second. One that raises outweighs any that lower. */
const OUTPUT_WORDS = {
  HIGH: ['adr', 'contracts', 'critique', 'decision', 'receipt', 'requirements'],
  LOW: ['audit', 'feedback', 'history', 'learnings', 'summary'],
} as const satisfies Partial<Record<Tier, readonly string[]>>;

/** Code points of an output in which words count. */
const OUTPUT_BEGINNING = 1_000;

const ENDINGS = ['', 's', 'ed', 'er', 'ers', 'or', 'ors', 'ing', 'ation', 'ations', 'ment', 'ments'];

/** Runs of letters; within one, a capital begins a new word, and a row of capitals is one: `runHTMLTests`. */
const WORDS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+/gu;

const TIER_OF_WORD: ReadonlyMap<string, Tier> = new Map(
  (['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const).flatMap((tier) =>
    ID_WORDS[tier].flatMap(formsOf).map((form): [string, Tier] => [form, tier]),
  ),
);

const ORDER: readonly Tier[] = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];

/**
 * By whole words of an id, in any case; `-`, `_`, `.`, digits and a capital inside part them. A word counts with the
 * endings of its kind (`tests`, `implementer`), but `latest` is no test and `critical` no critic.
 */
export function tierOfId(id: string): Tier | undefined {
  const tiers = new Set(id.match(WORDS)?.map((word) => TIER_OF_WORD.get(word.toLowerCase())));
  return ORDER.find((tier) => tiers.has(tier));
}

const RAISING = OUTPUT_WORDS.HIGH.map(withPlural).join('|');
const LOWERING = OUTPUT_WORDS.LOW.map(withPlural).join('|');
// Looking round each hit afterwards takes half the time of looking for word boundaries with the pattern.
const IN_OUTPUT = new RegExp(`(${RAISING})|${LOWERING}`, 'gi');
const LETTER = /\p{L}/u;

/** By whole words among the first 1,000 code points of an output, in any case. */
export function tierOfOutput(output: string): Tier | undefined {
  const beginning = head(output, OUTPUT_BEGINNING);
  let lowered = false;
  IN_OUTPUT.lastIndex = 0;
  for (let found = IN_OUTPUT.exec(beginning); found !== null; found = IN_OUTPUT.exec(beginning)) {
    // The whole output is asked, for the last word may go on where the beginning ends.
    if (LETTER.test(output.charAt(found.index - 1)) || LETTER.test(output.charAt(IN_OUTPUT.lastIndex))) continue;
    if (found[1] !== undefined) return 'HIGH';
    lowered = true;
  }
  return lowered ? 'LOW' : undefined;
}

function formsOf(word: string): string[] {
  if (word.endsWith('y')) return [word, `${word.slice(0, -1)}ies`];
  const stem = word.replace(/e$/, '');
  return [word, ...ENDINGS.map((ending) => word + ending), ...ENDINGS.slice(2).map((ending) => stem + ending)];
}

/** The word and its plural, as a pattern. */
function withPlural(word: string): string {
  return word.endsWith('y') ? `${word.slice(0, -1)}(?:y|ies)` : `${word}s?`;
}

/** Of UTF-16. */
const CODES = 0x10000;
/** No state is as high. */
const UNKNOWN = 0xffff;

/** Sets the place of each group of which a word is in the text to 1. */
export type WordFinder = (text: string, found?: Uint8Array) => Uint8Array;

interface Automaton {
  /** The class of a character; those that are in no word have 0. */
  readonly classes: Uint8Array;
  /** By state and class. A state is the place at which its classes begin. */
  readonly next: Uint16Array;
  /** By state: the groups of the words that end there. */
  readonly ends: readonly (readonly number[] | undefined)[];
  /** Fills in a place of `next` that was not needed before. */
  readonly learn: (place: number) => number;
}

/**
 * Looks for the words of many groups, in either case, in one pass: with the automaton of Aho and Corasick, whose state is
 * the longest beginning of a word that ends at the character reached. It is made as far as texts need it.
 */
export function createWordFinder(groups: readonly (readonly string[])[]): WordFinder {
  let automaton: Automaton | undefined;
  return (text, found = new Uint8Array(groups.length)) => {
    automaton ??= makeAutomaton(groups);
    const { classes, next, ends, learn } = automaton;
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      const place = state + (classes[text.charCodeAt(at)] ?? 0);
      const known = next[place] ?? 0;
      state = known === UNKNOWN ? learn(place) : known;
      const here = ends[state];
      if (here !== undefined) for (const group of here) found[group] = 1;
    }
    return found;
  };
}

function makeAutomaton(groups: readonly (readonly string[])[]): Automaton {
  const words = groups.map((group) => group.map((word) => word.toLowerCase()));
  const letters = ['', ...new Set(words.flat().join(''))];
  const beginnings = [...new Set(['', ...words.flat().flatMap(beginningsOf)])];
  const width = letters.length;
  const states = new Map(beginnings.map((beginning, index) => [beginning, index * width]));
  const next = new Uint16Array(beginnings.length * width).fill(UNKNOWN);
  const ends: Automaton['ends'][number][] = new Array(next.length).fill(undefined);

  function learn(place: number): number {
    const letter = letters[place % width] ?? '';
    const read = letter && (beginnings[Math.floor(place / width)] ?? '') + letter;
    const state = states.get(endsOf(read).find((end) => states.has(end)) ?? '') ?? 0;
    next[place] = state;
    const here = words.flatMap((group, index) => (group.some((word) => read.endsWith(word)) ? [index] : []));
    if (here.length > 0) ends[state] = here;
    return state;
  }

  return { classes: classesOf(letters), next, ends, learn };
}

function beginningsOf(word: string): string[] {
  return Array.from(word, (_, index) => word.slice(0, index + 1));
}

/** The longer ones first. */
function endsOf(text: string): string[] {
  return Array.from(text, (_, index) => text.slice(index));
}

/** The two cases of a letter are one class. */
function classesOf(letters: readonly string[]): Uint8Array {
  const classes = new Uint8Array(CODES);
  for (const [index, letter] of letters.entries()) {
    for (const either of [letter, letter.toUpperCase()]) if (either !== '') classes[either.charCodeAt(0)] = index;
  }
  return classes;
}

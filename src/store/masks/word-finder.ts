/** ASCII. Every other character is in no word. */
const CODES = 128;

/** Sets the place of each group of which a word is in the text to 1. */
export type WordFinder = (text: string, found?: Uint8Array) => Uint8Array;

interface Automaton {
  /** The class of a character; those that are in no word have 0. */
  readonly classes: Uint8Array;
  /** By state and class. A state is the place at which its classes begin. */
  readonly next: Uint16Array;
  /** By state: the groups of the words that end there. */
  readonly ends: readonly (readonly number[] | undefined)[];
}

/** The beginning of a word, or all of it. */
class Beginning {
  readonly longer = new Map<number, Beginning>();
  readonly groups = new Set<number>();
  state = 0;
  /** Its longest end that is the beginning of a word. */
  end: Beginning = this;
}

/**
 * Looks for the words of many groups, in either case, in one pass: with the automaton of Aho and Corasick, whose state is
 * the longest beginning of a word that ends at the character reached. It is made for the first text.
 */
export function createWordFinder(groups: readonly (readonly string[])[]): WordFinder {
  let automaton: Automaton | undefined;
  return (text, found = new Uint8Array(groups.length)) => {
    automaton ??= makeAutomaton(groups);
    const { classes, next, ends } = automaton;
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      state = code < CODES ? (next[state + (classes[code] ?? 0)] ?? 0) : 0;
      const here = ends[state];
      if (here !== undefined) for (const group of here) found[group] = 1;
    }
    return found;
  };
}

function makeAutomaton(groups: readonly (readonly string[])[]): Automaton {
  const classes = classesOf(groups.flat());
  const width = Math.max(...classes) + 1;
  const all = inBreadth(treeOf(groups, classes), width);
  const next = new Uint16Array(all.length * width);
  const ends: Automaton['ends'][number][] = new Array(all.length * width).fill(undefined);
  // The shorter ones come first, so what a beginning goes back to is complete.
  for (const beginning of all) {
    const { state, end, longer, groups } = beginning;
    next.copyWithin(state, end.state, end.state + width);
    for (const [letter, one] of longer) {
      one.end = all[(next[state + letter] ?? 0) / width] ?? one;
      next[state + letter] = one.state;
    }
    for (const group of ends[end.state] ?? []) groups.add(group);
    if (groups.size > 0) ends[state] = [...groups];
  }
  return { classes, next, ends };
}

/** The two cases of a letter are one class. */
function classesOf(words: readonly string[]): Uint8Array {
  const classes = new Uint8Array(CODES);
  const letters = [...new Set(words.join('').toLowerCase())];
  for (const [index, letter] of letters.entries()) {
    classes[letter.charCodeAt(0)] = index + 1;
    classes[letter.toUpperCase().charCodeAt(0)] = index + 1;
  }
  return classes;
}

function treeOf(groups: readonly (readonly string[])[], classes: Uint8Array): Beginning {
  const root = new Beginning();
  for (const [group, words] of groups.entries()) {
    for (const word of words) {
      let beginning = root;
      for (const letter of word) {
        const key = classes[letter.charCodeAt(0)] ?? 0;
        const longer = beginning.longer.get(key) ?? new Beginning();
        beginning.longer.set(key, longer);
        beginning = longer;
      }
      beginning.groups.add(group);
    }
  }
  return root;
}

/** The shorter ones first, each with its state. */
function inBreadth(root: Beginning, width: number): readonly Beginning[] {
  const all = [root];
  for (const beginning of all) {
    all.push(...beginning.longer.values());
  }
  for (const [index, beginning] of all.entries()) beginning.state = index * width;
  return all;
}

import { LONG_LINE_LENGTH, oneLine } from '../words.ts';

/** Regular expressions of the user's over what the agent says. A named group, where there is one, is what counts. */
export interface Patterns {
  readonly statePattern: RegExp | undefined;
  readonly deadEndPattern: RegExp | undefined;
}

/** What the agent's words say, as far as the patterns find it; each on one line. */
export interface Said {
  /** The last one, which holds. */
  readonly state: string | undefined;
  readonly deadEnds: readonly string[];
}

/** What is found more often than this in one text finds too much. */
const MAX_FOUND = 20;

export function createPatternReader({ statePattern, deadEndPattern }: Patterns): ((text: string) => Said) | undefined {
  if (statePattern === undefined && deadEndPattern === undefined) return undefined;
  return (text) => ({ state: find(statePattern, text).at(-1), deadEnds: find(deadEndPattern, text) });
}

/** A pattern of the user's: an agent writes its markers at the beginning of a line. */
export function compilePattern(source: string | undefined): RegExp | undefined {
  return source === undefined ? undefined : new RegExp(source, 'gm');
}

function find(pattern: RegExp | undefined, text: string): string[] {
  if (pattern === undefined) return [];
  return [...text.matchAll(pattern)]
    .slice(-MAX_FOUND)
    .map((match) => Object.values(match.groups ?? {}).find((group) => group !== undefined) ?? match[1] ?? match[0])
    .map((found) => oneLine(found, LONG_LINE_LENGTH))
    .filter((found) => found !== '');
}

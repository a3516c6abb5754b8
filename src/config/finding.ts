import { distance as editDistance } from 'fastest-levenshtein';
import type { Finding, Origin } from './config.ts';

export function finding(
  key: string,
  parts: { expected: string; found: string; origin: Origin; todo: string },
): Finding {
  const { expected, found, origin, todo } = parts;
  const { source, where } = origin;
  const isOption = source === 'flag' && where !== undefined;
  const [subject, place] = isOption ? [where, ''] : [key, ` (${where ?? source})`];
  return { key, message: `${subject}: expected ${expected}, found ${found}${place}; ${todo}` };
}

export function displayed(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/**
 * The nearest candidate; undefined if none is similar. Ignores case, `_` and `-`. The last part of a candidate may
 * match alone (`warn` for `thresholds.warn`).
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const normalized = plain(word);
  const distanceTo = (name: string) => mistakes(normalized, plain(name));
  const ranked = [...candidates].map((candidate) => ({
    candidate,
    distance: Math.min(distanceTo(candidate), distanceTo(candidate.slice(candidate.lastIndexOf('.') + 1))),
  }));
  const [nearest] = ranked.sort((a, b) => a.distance - b.distance);
  // Up to a third of the letters may be wrong. A less similar suggestion would only confuse.
  return nearest && nearest.distance <= normalized.length / 3 ? nearest.candidate : undefined;
}

/** The nearest of the words that an expectation offers, as it would be written: `"auto"`. */
export function closestChoice(word: unknown, expected: string): string | undefined {
  const choices = [...expected.matchAll(/(?<=")[a-z-]+(?=")/g)].map(([choice]) => choice);
  const suggestion = typeof word === 'string' ? closest(word, choices) : undefined;
  return suggestion && displayed(suggestion);
}

/** The advice to use the nearest candidate; without a similar one, another advice. */
export function didYouMean(suggestion: string | undefined, otherwise: string): string {
  return suggestion === undefined ? otherwise : `did you mean ${suggestion}?`;
}

/**
 * The number of mistakes: insertions, deletions and substitutions. Two swapped letters count as one, and so does a
 * missing end.
 */
function mistakes(from: string, to: string): number {
  const distance = editDistance(from, to);
  const isSwap = distance === 2 && sortLetters(from) === sortLetters(to);
  return isSwap || to.startsWith(from) ? Math.min(distance, 1) : distance;
}

function sortLetters(word: string): string {
  return [...word].sort().join('');
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '').slice(0, 64);
}

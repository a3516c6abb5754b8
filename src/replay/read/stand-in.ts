/** What is missing of a text: UTF-16 units, characters of two units, and what JSON.stringify needs beyond the units. */
export interface Missing {
  readonly units: number;
  readonly pairs: number;
  readonly extra: number;
}

/** A piece of it takes no memory of its own. */
const SPACES = ' '.repeat(1024 * 1024);

/**
 * A text that begins as the real one, and has the same length in UTF-16 units, in characters, and as JSON. The filling
 * takes no memory as long as nobody reads it.
 */
export function standIn(beginning: string, { units, pairs, extra }: Missing): string {
  // JSON needs five more units for a control character, one more for a quote.
  const controls = Math.floor(extra / 5);
  const quotes = extra % 5;
  const spaces = units - 2 * pairs - controls - quotes;
  const rare = extra + pairs === 0 ? '' : `${'😀'.repeat(pairs)}${'\u0001'.repeat(controls)}${'"'.repeat(quotes)}`;
  return `${beginning}${rare}${spacesOf(spaces)}`;
}

function spacesOf(count: number): string {
  return count > SPACES.length ? ' '.repeat(count) : SPACES.slice(0, count);
}

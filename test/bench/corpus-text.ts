import { createRandom, type Random } from '../support/random.ts';

const WORDS = [
  ...['const', 'return', 'await', 'if', 'for', 'the', 'of', 'and', 'result', 'error', 'session', 'context', 'window'],
  ...['file', 'path', 'line', 'read', 'write', 'test', 'expect', 'import', 'export', 'function', 'value', 'string'],
] as const;

const MARKS = [
  ' ',
  ' ',
  ' ',
  ' ',
  ' ',
  ' ',
  '(',
  ') ',
  '.',
  ', ',
  ' = ',
  ': ',
  '; ',
  '"',
  "'",
  '/',
  '\\',
  '<',
  '>',
] as const;

/** As tools print them: frames, ticks, dashes, arrows, letters with accents, other scripts. */
const NOT_ASCII = ['│', '─', '✓', '✗', '—', '→', '…', 'é', 'ü', 'ñ', '中', '文', '日', 'я'] as const;

/** Pieces of text are taken from anywhere in these. In units. */
const POOL_LENGTH = 4_000_000;

const PLAIN = pool(0);
/** About one character of a hundred. */
const FOREIGN = pool(0.05);

/** Text as in files and in the output of commands, with a line feed about every 40 characters. */
export function textOf(length: number, isAscii: boolean, random: Random): string {
  const from = isAscii ? PLAIN : FOREIGN;
  let text = '';
  while (text.length < length) {
    const at = random.whole(0, POOL_LENGTH / 2);
    text += from.slice(at, at + Math.min(length - text.length, POOL_LENGTH / 2));
  }
  return text;
}

function pool(foreign: number): string {
  const random = createRandom(9);
  const parts: string[] = [];
  for (let length = 0; length < POOL_LENGTH; ) {
    const part = random.chance(0.12) ? `\n${'  '.repeat(random.whole(0, 4))}` : wordOf(foreign, random);
    parts.push(part);
    length += part.length;
  }
  return parts.join('');
}

function wordOf(foreign: number, random: Random): string {
  const mark = random.pick(MARKS);
  return random.chance(foreign) ? `${random.pick(NOT_ASCII)}${mark}` : `${random.pick(WORDS)}${mark}`;
}

/** Small ones are as frequent as large ones, in orders of magnitude. */
export function between(least: number, most: number, random: Random): number {
  return Math.round(least * (most / least) ** random.next());
}

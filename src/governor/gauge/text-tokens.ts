import { beginningOf } from '../../stream/long-text.ts';

/** UTF-16 units at the beginning of a text that stand for all of it: no text is read to its end. */
const SAMPLE_LENGTH = 256;

/**
 * Tokens that a character adds to a text, by what it is. Least absolute error over 16,631 calls of 290 public session
 * logs (Claude models of 4.5 and 4.6), each half of the sessions alone giving the same to 0.07. Newer models use a
 * tokenizer that makes about 1.4 times as many; a session's own calls show that.
 */
const LETTER = 0.26;
const CAPITAL = 0.35;
const DIGIT = 0.45;
const SPACE = 0.21;
const MARK = 0.84;
const OTHER = 0.92;

const ASCII = Float64Array.from({ length: 128 }, (_, code) => weightOf(String.fromCharCode(code)));

/** Tokens that a text is expected to be, not rounded, by the characters that it begins with. */
export function expectedTokens(text: string): number {
  const sample = Math.min(text.length, SAMPLE_LENGTH);
  if (sample === 0) return 0;
  const beginning = text.length > sample ? beginningOf(text, sample) : text;
  let tokens = 0;
  for (let at = 0; at < sample; at++) {
    const code = beginning.charCodeAt(at);
    // Without asking first, V8 looks for what is beyond the table's end in a way that takes twice as long.
    tokens += code < ASCII.length ? (ASCII[code] ?? OTHER) : OTHER;
  }
  return (tokens / sample) * text.length;
}

function weightOf(character: string): number {
  if (/[a-z]/.test(character)) return LETTER;
  if (/[A-Z]/.test(character)) return CAPITAL;
  if (/\d/.test(character)) return DIGIT;
  return /\s/.test(character) ? SPACE : MARK;
}

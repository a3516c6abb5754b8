import type { Block } from '../../protocol/block.ts';

/** Code points per token before the session's own calls show a better figure. */
export const CHARS_PER_TOKEN = 3.5;

const SURROGATE_PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Tokens of a text, rounded up; `charsPerToken` counts code points. */
export function estimateTokens(text: string, charsPerToken = CHARS_PER_TOKEN): number {
  return Math.ceil(codePoints(text) / charsPerToken);
}

/** Number of code points: UTF-16 units, minus one for each surrogate pair. */
export function codePoints(text: string): number {
  let pairs = 0;
  SURROGATE_PAIRS.lastIndex = 0;
  while (SURROGATE_PAIRS.test(text)) pairs++;
  return text.length - pairs;
}

/**
 * The estimate for streams without usage figures: characters of files, tool output and prompts, multiplied by an
 * overhead for system prompt, schemas and formatting. Displayed as `estimated`, never as a measurement.
 */
export type CharacterEstimate = Readonly<typeof NO_CHARACTERS>;

export const NO_CHARACTERS = { tokens: 0, toolCalls: 0 };

const CONTEXT_CHARS_PER_TOKEN = 4;
const OVERHEAD = 1.3;

/** Tool calls after which the context counts as full, regardless of the characters. */
export const TOOL_CALL_LIMIT = 100;

/** Tokens of one text: a quarter of its code points, at least 1. */
export function textTokens(text: string): number {
  return Math.max(1, Math.floor(codePoints(text) / CONTEXT_CHARS_PER_TOKEN));
}

export function totalTokens({ tokens }: CharacterEstimate): number {
  return Math.trunc(tokens * OVERHEAD);
}

/** Adds a prompt, or the output of a tool, which counts as a tool call. */
export function addText({ tokens, toolCalls }: CharacterEstimate, text: string, isTool: boolean): CharacterEstimate {
  return { tokens: tokens + textTokens(text), toolCalls: toolCalls + Number(isTool) };
}

export function addBlocks(estimate: CharacterEstimate, blocks: readonly Block[]): CharacterEstimate {
  return blocks.reduce((sum, block) => {
    const isTool = block.type === 'tool_result';
    return isTool || block.type === 'text' ? addText(sum, block.text, isTool) : sum;
  }, estimate);
}

/** Maximum UTF-16 units of a text that are read; a longer text is sampled in pieces spread evenly over it. */
const READ_LENGTH = 16_384;
const PIECES = 16;

const LETTER = 0;
const CAPITAL = 1;
const DIGIT = 2;
const SPACE = 3;
const NEWLINE = 4;
const MARK = 5;
const REPEATED = 6;
const OTHER = 7;
const WIDE = 8;

/**
 * Tokens of a character after another kind of character (`CHANGE_TOKENS`) and after its own kind (`REPEAT_TOKENS`): a
 * word is about one token at any length, a number slightly more, and spaces belong to the next word. Fitted by least
 * absolute error on half of the sessions of test/accuracy, for both generations of tokenizers together.
 */
const CHANGE_TOKENS = Float64Array.of(0.96, 0.53, 1.09, 0.02, 0.56, 1.01, 0.17, 1.1, 1.2);
const REPEAT_TOKENS = Float64Array.of(0.05, 0.32, 0.27, 0.02, 0.8, 0.3, 0.07, 0.95, 1.2);

/** Maximum consecutive letters of a word; each further letter counts with the weight below. */
const LONGEST_WORD = 12;
const FURTHER_LETTER_TOKENS = 0.26;

/** States after a character: 0 at the start, its kind, or for a letter the length of its word up to the longest. */
const FIRST_LETTER = WIDE + 1;
const LAST_LETTER = WIDE + LONGEST_WORD;

const KINDS = WIDE + 1;

/**
 * For each state and kind of the next character: the tokens of that character, and the first place of the next state.
 * The index is the first place of the state plus the kind. Tables are twice as fast as branches, which differ from word
 * to word.
 */
const COSTS = Float64Array.from(tableOf(costAfter));
const NEXT_PLACES = Uint8Array.from(tableOf(stateAfter), (state) => state * KINDS);

function tableOf(valueAfter: (state: number, kind: number) => number): number[] {
  const length = (LAST_LETTER + 1) * KINDS;
  return Array.from({ length }, (_, place) => valueAfter(Math.floor(place / KINDS), place % KINDS));
}

function costAfter(state: number, kind: number): number {
  if (kind === LETTER && state === LAST_LETTER) return FURTHER_LETTER_TOKENS;
  const isSame = kind === LETTER ? state >= FIRST_LETTER : kind === state;
  return (isSame ? REPEAT_TOKENS : CHANGE_TOKENS)[kind] as number;
}

function stateAfter(state: number, kind: number): number {
  return kind === LETTER ? Math.min(Math.max(state, WIDE) + 1, LAST_LETTER) : kind;
}

/** Kinds of ASCII characters; from 128 on, those of characters after themselves. */
const ASCII = Uint8Array.from({ length: 256 }, (_, place) => {
  const kind = kindOf(String.fromCharCode(place % 128));
  return place >= 128 && kind >= SPACE ? REPEATED : kind;
});

/** Start of the Chinese, Japanese and Korean range. Surrogates follow most of it, and are mostly emoji. */
const FIRST_WIDE = 0x2e80;
const FIRST_SURROGATE = 0xd800;

type Text = string | Uint16Array;

/** Expected tokens of a text, not rounded. */
export function expectedTokens(text: Text): number {
  const { length } = text;
  if (length <= READ_LENGTH) return tokensIn(text, 0, length);
  const piece = READ_LENGTH / PIECES;
  let tokens = 0;
  for (let number = 0; number < PIECES; number++) {
    const from = Math.floor(((length - piece) * number) / (PIECES - 1));
    tokens += tokensIn(text, from, from + piece);
  }
  return tokens * (length / READ_LENGTH);
}

function tokensIn(text: Text, from: number, to: number): number {
  let tokens = 0;
  let before = NO_CODE;
  let first = 0;
  for (let at = from; at < to; at++) {
    const code = typeof text === 'string' ? text.charCodeAt(at) : (text[at] as number);
    // 128 for the same code as before: a branch would be hard to predict.
    const repeated = (((code ^ before) - 1) >>> 31) << 7;
    // Check the bound first: a read beyond the end of the table takes V8 twice as long.
    const kind = code < 128 ? (ASCII[code | repeated] as number) : kindBeyondAscii(code, before);
    const place = first + kind;
    tokens += COSTS[place] as number;
    first = NEXT_PLACES[place] as number;
    before = code;
  }
  return tokens;
}

/** Beyond all UTF-16 units. */
const NO_CODE = 0x10000;

function kindBeyondAscii(code: number, before: number): number {
  if (code >= FIRST_WIDE && code < FIRST_SURROGATE) return WIDE;
  return code === before ? REPEATED : OTHER;
}

function kindOf(character: string): number {
  if (/[a-z]/.test(character)) return LETTER;
  if (/[A-Z]/.test(character)) return CAPITAL;
  if (/\d/.test(character)) return DIGIT;
  if (character === ' ') return SPACE;
  return /\s/.test(character) ? NEWLINE : MARK;
}

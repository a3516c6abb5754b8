import { randomBytes } from 'node:crypto';
import { type Fields, isFields } from '../../stream/fields.ts';
import { TARGETS } from '../observers/growth.ts';
import { standIn } from './stand-in.ts';

/** What the kernel puts in place of what it cuts: a mark that no text can know, and the number of the cut. */
const MARK_LENGTH = 8;
const NUMBER_LENGTH = 4;
const TAIL_LENGTH = MARK_LENGTH + NUMBER_LENGTH;

/** Letters of a number stand for 0 to 15, the least first. */
const ZERO = 'a'.charCodeAt(0);

/** A cut in the table takes eight numbers of 32 bits, of which five are used. */
const CUT_NUMBERS = 8;

/** Texts in a tool's input that are shown. */
const NAMES: ReadonlySet<string> = new Set(TARGETS);

/** Texts of a block that only their length is asked of. All others of it are names. */
const TEXTS: ReadonlySet<string> = new Set(['text', 'thinking', 'content', 'signature', 'data']);

/** The memory of the kernel, after it has read a line. */
export interface CutTable {
  readonly bytes: Buffer;
  readonly numbers: Uint32Array;
  /** Where in `numbers` the first cut is. */
  readonly first: number;
  readonly count: number;
}

export function createMark(): string {
  return randomBytes((MARK_LENGTH * 3) / 4).toString('base64url');
}

/**
 * Puts something in place of every cut in the content of a message: the real text where it may be read, else a text of
 * the same measures. False where a cut is not found: the line held its content twice.
 */
export function fillCuts(line: Fields, mark: string, table: CutTable): boolean {
  const message = line.message;
  if (!isFields(message)) return false;
  const isUser = line.type === 'user';
  let found = 0;

  function fill(holder: Holder, key: string | number, isRead: boolean): void {
    const text = holder[key];
    if (typeof text !== 'string' || !text.startsWith(mark, text.length - TAIL_LENGTH)) return;
    found++;
    holder[key] = isRead ? realText(text, table) : standInFor(text, table);
  }

  function fillBlock(block: Holder): void {
    const isSpoken = isUser && block.type === 'text';
    for (const key of Object.keys(block)) {
      fill(block, key, isSpoken || !TEXTS.has(key));
      fillBelow(block[key]);
    }
  }

  function fillBelow(value: unknown): void {
    if (!isHolder(value) || found === table.count) return;
    const isList = Array.isArray(value);
    for (const key of Object.keys(value)) {
      fill(value, key, !isList && NAMES.has(key));
      fillBelow(value[key]);
    }
  }

  fill(message as Holder, 'content', isUser);
  if (Array.isArray(message.content)) {
    for (const block of message.content) if (isHolder(block)) fillBlock(block);
  }
  return found === table.count;
}

/** Of a list or an object out of JSON.parse: nobody else has it yet. */
type Holder = Record<string | number, unknown>;

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}

function standInFor(text: string, { numbers, first }: CutTable): string {
  const at = first + cutOf(text) * CUT_NUMBERS;
  const [units = 0, pairs = 0, extra = 0] = numbers.subarray(at + 2, at + 5);
  return standIn(text.slice(0, -TAIL_LENGTH), { units, pairs, extra });
}

/** With its quotes, as it stands. */
function realText(text: string, { bytes, numbers, first }: CutTable): string {
  const at = first + cutOf(text) * CUT_NUMBERS;
  const [start = 0, end = 0] = numbers.subarray(at, at + 2);
  return JSON.parse(bytes.toString('utf8', start - 1, end + 1)) as string;
}

function cutOf(text: string): number {
  let number = 0;
  for (let digit = NUMBER_LENGTH; digit > 0; digit--) {
    number = number * 16 + text.charCodeAt(text.length - NUMBER_LENGTH + digit - 1) - ZERO;
  }
  return number;
}

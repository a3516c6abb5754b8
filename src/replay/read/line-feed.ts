import type { AssistantEvent } from '../../core/protocol/events.ts';
import { type Fields, isFields, parsed } from '../../core/protocol/fields.ts';
import { objectsIn } from '../../core/protocol/objects-in.ts';

/** The longest line that is read, in bytes: the longest seen in public recordings is below 10 MiB. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Most lines fit in a buffer of this size. */
const USUAL_BYTES = 1024 * 1024;
/** Factor by which a buffer for a longer line grows. One of the largest size would make V8 collect garbage all the time. */
const GROWTH = 4;

/** Characters of a recording's first line that are shown. */
const FIRST_TEXT_LENGTH = 65_536;

/** One that a recording before has left. */
let usual: Buffer | undefined;

function takeUsual(): Buffer {
  const buffer = usual ?? Buffer.allocUnsafeSlow(USUAL_BYTES);
  usual = undefined;
  return buffer;
}

const LINE_FEED = 10;

/** Some editors put it before the first line. */
const BYTE_ORDER_MARK = '\ufeff';

/** The content of a line: a JSON object, only white space, or anything else. */
export type ReadLine = (
  | { readonly kind: 'blank' }
  /** `lost`: it held a call. */
  | { readonly kind: 'malformed'; readonly lost?: true }
  | { readonly kind: 'value'; readonly value: Fields }
  | { readonly kind: 'unread'; readonly row: Row }
  | { readonly kind: 'answer'; readonly event: AssistantEvent }
) & {
  /** Other text precedes it on the line. */
  readonly isMore?: true;
  /** The beginning of the first line that is not blank; it tells the kinds of recordings apart. */
  readonly text?: string;
};

/** A row of a session log of which only its presence counts. */
export interface Row {
  /** undefined: nothing by which it would be known if it came again. */
  readonly uuid: string | undefined;
  readonly t: number | undefined;
  /** The thread whose call it answers: a subagent's id, '' for the main thread; undefined: none. */
  readonly answers: string | undefined;
}

const BLANK: ReadLine = { kind: 'blank' };
const MALFORMED: ReadLine = { kind: 'malformed' };
const LOST: ReadLine = { kind: 'malformed', lost: true };

export function findIn(text: string): ReadLine {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? { kind: 'value', value } : MALFORMED;
  } catch {
    return text.trim() === '' ? BLANK : MALFORMED;
  }
}

/** All that can be read of a line, which two processes may have written at once. */
export function findAllIn(text: string): readonly ReadLine[] {
  const line = findIn(text);
  if (line.kind !== 'malformed') return [line];
  const { values, isTorn, isLost } = objectsIn(text);
  const torn = isTorn ? [isLost ? LOST : MALFORMED] : [];
  const found: readonly ReadLine[] = values.map((value) => ({ kind: 'value', value }));
  return [...found, ...torn].map((each, at) => (at === 0 ? each : { ...each, isMore: true }));
}

/** The rows of a recording that is one array, as Anthropic's action writes it; of one that is torn what can be read. */
function rowsIn(array: readonly Buffer[]): readonly ReadLine[] {
  const text = Buffer.concat(array).toString();
  const rows = parsed(text);
  if (!Array.isArray(rows)) return findAllIn(text).map(({ isMore: _, ...line }) => line);
  return rows.flat(ARRAYS_DEEP).map((value) => (isFields(value) ? { kind: 'value', value } : MALFORMED));
}

/** How an array of objects begins, or one of such arrays, as `jq --slurp` makes it of several. */
const ARRAY = /^\s*\[\s*(?:[[{]|$)/;
const ARRAYS_DEEP = 1;

/** Reads the relevant fields of a line faster than a full parse; undefined: parse it. */
export type Thin = (bytes: Buffer, from: number, to: number) => ReadLine | undefined;

/**
 * Takes a recording chunk by chunk and hands over its lines.
 *
 * @param maxLine in bytes; a longer one is malformed
 * @param thin reads the lines behind the first one
 */
export function createLineFeed(onLine: (line: ReadLine) => void, maxLine = MAX_LINE_BYTES, thin?: Thin) {
  /** The beginning of a line whose end has not come. */
  const nothing = Buffer.alloc(0);
  let held: Buffer = nothing;
  /** Size of that line in bytes; of a line that is too long, no more are kept. */
  let size = 0;
  /** Zeros in or near a line, left by a crash of the system: its parts cannot be trusted. */
  let hasZeros = false;
  let isFirst = true;
  let isOpened = false;
  /** All that follows is one array. */
  let array: Buffer[] | undefined;

  function hold(bytes: Buffer): void {
    const needed = size + bytes.length;
    if (needed > held.length && needed <= maxLine) {
      const larger = needed <= USUAL_BYTES ? takeUsual() : Buffer.allocUnsafeSlow(Math.min(maxLine, needed * GROWTH));
      held.copy(larger, 0, 0, size);
      held = larger;
    }
    if (needed <= maxLine) bytes.copy(held, size);
    size = needed;
  }

  function textOf(line: Buffer): string {
    const text = textOfLine(line);
    return isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }

  /** Takes the line that ends in these bytes. */
  function take(bytes: Buffer, from: number, to: number, isLast = false): void {
    if (size === 0 && to - from <= maxLine) takeLine(bytes, from, to, isLast);
    else {
      hold(bytes.subarray(from, to));
      const length = size;
      size = 0;
      if (length <= maxLine) takeLine(held.subarray(0, length), 0, length, isLast);
      else takeWhole(undefined, isLast);
    }
    isFirst = false;
  }

  function takeLine(bytes: Buffer, from: number, to: number, isLast: boolean): void {
    const thinned = isOpened && !hasZeros ? thin?.(bytes, from, to) : undefined;
    if (thinned === undefined) takeWhole(textOf(bytes.subarray(from, to)), isLast);
    else onLine(thinned);
  }

  /** @param text undefined: it is too long */
  function takeWhole(text: string | undefined, isLast: boolean): void {
    if (!isOpened && text !== undefined && ARRAY.test(text)) {
      array = [Buffer.from(text)];
      return;
    }
    // The last line of a file that is being written has lost nothing.
    if (text === undefined) hand(MALFORMED, '');
    else if (isLast) hand(findIn(text), text);
    else for (const line of findAllIn(text)) hand(line, text);
  }

  function hand(line: ReadLine, text: string): void {
    const isOpening = !isOpened && line.kind !== 'blank';
    isOpened ||= isOpening;
    onLine(isOpening ? { ...line, text: text.trim().slice(0, FIRST_TEXT_LENGTH) } : line);
  }

  return {
    /** The chunk may be written over afterwards. */
    push(chunk: Buffer): void {
      hasZeros = chunk.includes(0) || (hasZeros && size > 0);
      let begin = 0;
      while (array === undefined) {
        const end = chunk.indexOf(LINE_FEED, begin);
        if (end === -1) break;
        take(chunk, begin, end);
        begin = end + 1;
      }
      const rest = chunk.subarray(begin);
      if (array === undefined) hold(rest);
      else array.push(Buffer.from(rest));
    },
    /** The end of the input: a last line without a line feed counts. */
    end(): void {
      if (size > 0) take(nothing, 0, 0, true);
      if (array !== undefined) for (const line of rowsIn(array)) hand(line, '[');
      if (held.length === USUAL_BYTES) usual = held;
      held = nothing;
    },
  };
}

/** A longer line, in bytes, has pictures or documents: no context holds so much text. */
const LONG_LINE = 8 * 1024 * 1024;

/** Bytes that are read of each string in a long line. */
const MOST_BYTES = 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const UNICODE = 0x75;

/**
 * The text of a line. In a line over 8 MiB each string is cut to 1 MiB, still as valid JSON: a line of 57 MiB would
 * take half a gigabyte as text and parsed values.
 */
export function textOfLine(line: Buffer): string {
  if (line.length <= LONG_LINE) return line.toString();
  const pieces: string[] = [];
  let from = 0;
  for (let open = line.indexOf(QUOTE); open !== -1; ) {
    const close = closingQuote(line, open + 1);
    if (close - open > MOST_BYTES) {
      pieces.push(line.toString('utf8', from, boundary(line, open + 1, open + MOST_BYTES)));
      from = close;
    }
    open = line.indexOf(QUOTE, close + 1);
  }
  return pieces.join('') + line.toString('utf8', from);
}

/** The end of the string whose content begins at `from`; the end of the line if it is not closed. */
function closingQuote(line: Buffer, from: number): number {
  for (let quote = line.indexOf(QUOTE, from); quote !== -1; quote = line.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0;
    while (line[quote - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
  }
  return line.length;
}

/**
 * The first position at or after `at` between two characters of the string that begins at `from`, outside of any
 * escape.
 */
function boundary(line: Buffer, from: number, at: number): number {
  let place = from;
  for (let slash = line.indexOf(BACKSLASH, place); slash !== -1 && slash < at; ) {
    place = slash + (line[slash + 1] === UNICODE ? 6 : 2);
    slash = line.indexOf(BACKSLASH, place);
  }
  place = Math.max(place, at);
  while (((line[place] ?? 0) & 0xc0) === 0x80) place++;
  return place;
}

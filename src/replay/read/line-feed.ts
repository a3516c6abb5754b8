import { type Fields, isFields, parseJson } from '../../core/protocol/fields.ts';
import { valueEnd } from '../../core/protocol/json-spans.ts';
import { objectsIn } from '../../core/protocol/objects-in.ts';
import type { RowParts } from './row-parts.ts';

/** Maximum length of a line in bytes; the longest one in public recordings is below 10 MiB. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Initial buffer size, enough for most lines. */
const USUAL_BYTES = 1024 * 1024;
/** Growth factor of the buffer. Allocating the maximum at once would make V8 collect garbage continually. */
const GROWTH = 4;

/** Maximum length of `ReadLine.text`, in UTF-16 code units. */
const FIRST_TEXT_LENGTH = 65_536;

/** Maximum size of a buffer for reuse: few lines are longer than a quarter of it. */
const MAX_REUSED_BYTES = 8 * USUAL_BYTES;

/** Buffer left by the previous recording, for reuse. */
let reusableBuffer: Buffer | undefined;

function takeBuffer(needed: number, maxLine: number) {
  const reused = reusableBuffer;
  if (reused === undefined || reused.length < needed)
    return Buffer.allocUnsafeSlow(Math.max(USUAL_BYTES, Math.min(maxLine, needed * GROWTH)));
  reusableBuffer = undefined;
  return reused;
}

const LINE_FEED = 10;

/** Some editors write this mark at the start of a file. */
const BYTE_ORDER_MARK = '\ufeff';

/** The content of a line: a JSON object, white space, or anything else. */
export type ReadLine = (
  | { readonly kind: 'blank' }
  /** `lost`: the line contained a call. */
  | { readonly kind: 'malformed'; readonly lost?: true }
  | { readonly kind: 'value'; readonly value: Fields }
  | { readonly kind: 'unread'; readonly row: Row }
  | RowParts
) & {
  /** Other text precedes it on the line. */
  readonly followsText?: true;
  /** The start of the first non-blank line, which identifies the kind of recording. */
  readonly text?: string;
};

/** A row of a session log that is counted without parsing. */
export interface Row {
  /** Hash of its uuid; undefined if the row cannot be recognized when it is repeated. */
  readonly id: number | undefined;
  readonly t: number | undefined;
  /**
   * The thread whose call the row answers: a subagent's id, or '' for the main thread; undefined if it answers none.
   */
  readonly answers: string | undefined;
}

/** The start of a row that contains no call. */
const USER_ROLE = /"role":\s*"user"/;

const BLANK: ReadLine = { kind: 'blank' };
const MALFORMED: ReadLine = { kind: 'malformed' };
const LOST_LINE: ReadLine = { kind: 'malformed', lost: true };

export function findIn(text: string): ReadLine {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? { kind: 'value', value } : MALFORMED;
  } catch {
    return text.trim() === '' ? BLANK : MALFORMED;
  }
}

/**
 * Everything readable on a line, which two processes may have written at once.
 *
 * @param isLast the line may still be being written, so that no call on it is lost
 */
export function findAllIn(text: string, isLast = false): readonly ReadLine[] {
  const line = findIn(text);
  if (line.kind !== 'malformed') return [line];
  const { values, isTorn, isLost } = objectsIn(text);
  const tornLine = isTorn ? [isLost && !isLast ? LOST_LINE : MALFORMED] : [];
  const found: readonly ReadLine[] = values.map((value) => ({ kind: 'value', value }));
  return [...found, ...tornLine].map((each, at) => (at === 0 ? each : { ...each, followsText: true }));
}

/** The objects of a recording that is not written in lines; of a truncated one, the readable part. */
function rowsIn(document: readonly Buffer[]): readonly ReadLine[] {
  const text = Buffer.concat(document).toString();
  const rows: ReadLine[] = [];
  for (let index = afterLineBreak(text, 0); index < text.length; ) {
    const end = valueEnd(text, index);
    const value = parseJson(text.slice(index, end));
    if (!isFields(value)) return [...rows, ...findAllIn(text.slice(index)).map(({ followsText: _, ...line }) => line)];
    rows.push({ kind: 'value', value });
    index = afterLineBreak(text, end);
  }
  return rows;
}

/**
 * Matches the first line of an array of objects, as Anthropic's GitHub action writes it, of an array of such arrays,
 * which `jq --slurp` makes of several files, and of an object over several lines, as `jq` prints it.
 */
const DOCUMENT = /^\s*(?:\[\s*(?:[[{]|$)|\{\s*$)/;

const SEPARATORS = /[\s,[\]]*/y;

function afterLineBreak(text: string, at: number): number {
  SEPARATORS.lastIndex = at;
  SEPARATORS.test(text);
  return SEPARATORS.lastIndex;
}

/** Reads the relevant fields of a line faster than a full parse; undefined: parse the line. */
export type ReadQuickly = (bytes: Buffer, from: number, to: number) => ReadLine | undefined;

/**
 * Splits a recording, received in chunks, into lines.
 *
 * @param maxLine maximum length in bytes; longer lines are malformed
 * @param readQuickly reads the lines after the first one
 */
export function createLineFeed(onLine: (line: ReadLine) => void, maxLine = MAX_LINE_BYTES, readQuickly?: ReadQuickly) {
  // Not a constant of the module: claude gives its plugins no Buffer.
  const nothing = Buffer.alloc(0);
  /** The start of an incomplete line. */
  let held: Buffer = nothing;
  let heldSize = 0;
  /** Size of the incomplete line in bytes; may exceed `maxLine`, but then no more bytes are held. */
  let size = 0;
  /** Zeros in or near a line, left by a system crash: the line must be fully parsed. */
  let hasZeros = false;
  let isFirst = true;
  let isOpened = false;
  /** Collects the recording if it is not written in lines. */
  let document: Buffer[] | undefined;

  function hold(bytes: Buffer): void {
    const needed = size + bytes.length;
    if (needed > held.length && needed <= maxLine) {
      const larger = takeBuffer(needed, maxLine);
      held.copy(larger, 0, 0, size);
      held = larger;
    }
    if (needed <= maxLine) heldSize = size + bytes.copy(held, size);
    size = needed;
  }

  function textOf(line: Buffer): string {
    const text = textOfLine(line);
    return isFirst && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }

  /** Processes the line that ends in these bytes. */
  function take(bytes: Buffer, from: number, to: number, isLast = false): void {
    if (size === 0 && to - from <= maxLine) takeLine(bytes, from, to, isLast);
    else {
      hold(bytes.subarray(from, to));
      const [length, line] = [size, held.subarray(0, heldSize)];
      size = heldSize = 0;
      if (length <= maxLine) takeLine(line, 0, length, isLast);
      else emitLine(USER_ROLE.test(line.toString('utf8', 0, FIRST_TEXT_LENGTH)) ? MALFORMED : LOST_LINE, '');
    }
    isFirst = false;
  }

  function takeLine(bytes: Buffer, from: number, to: number, isLast: boolean): void {
    const line = isOpened && !hasZeros ? readQuickly?.(bytes, from, to) : undefined;
    if (line === undefined) addWholeLine(textOf(bytes.subarray(from, to)), isLast);
    else onLine(line);
  }

  function addWholeLine(text: string, isLast: boolean): void {
    if (!isOpened && DOCUMENT.test(text)) {
      document = [Buffer.from(text)];
      return;
    }
    for (const line of findAllIn(text, isLast)) emitLine(line, text);
  }

  function emitLine(line: ReadLine, text: string): void {
    const isOpening = !isOpened && line.kind !== 'blank';
    isOpened ||= isOpening;
    onLine(isOpening ? { ...line, text: text.trim().slice(0, FIRST_TEXT_LENGTH) } : line);
  }

  return {
    /** Adds a chunk, whose memory the caller may reuse afterwards. */
    push(chunk: Buffer): void {
      hasZeros = chunk.includes(0) || (hasZeros && size > 0);
      let begin = 0;
      while (document === undefined) {
        const end = chunk.indexOf(LINE_FEED, begin);
        if (end === -1) break;
        take(chunk, begin, end);
        begin = end + 1;
      }
      const rest = chunk.subarray(begin);
      if (document === undefined) hold(rest);
      else document.push(Buffer.from(rest));
    },
    /** Ends the input; a last line needs no line feed. */
    end(): void {
      if (size > 0) take(nothing, 0, 0, true);
      if (document !== undefined) for (const line of rowsIn(document)) emitLine(line, '[');
      if (held.length > (reusableBuffer?.length ?? 0) && held.length <= MAX_REUSED_BYTES) reusableBuffer = held;
      held = nothing;
    },
  };
}

/** Lines above this length in bytes contain images or documents: no context has room for so much text. */
const LONG_LINE = 8 * 1024 * 1024;

/** Maximum bytes read of each string in a long line. */
const MAX_BYTES = 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const UNICODE = 0x75;

/**
 * The text of a line. In a line above 8 MiB, each string is cut to 1 MiB and the JSON stays valid: otherwise a line of
 * 57 MiB would take half a gigabyte as text and parsed values.
 */
export function textOfLine(line: Buffer): string {
  if (line.length <= LONG_LINE) return line.toString();
  const pieces: string[] = [];
  let from = 0;
  for (let open = line.indexOf(QUOTE); open !== -1; ) {
    const close = closingQuote(line, open + 1);
    if (close - open > MAX_BYTES) {
      pieces.push(line.toString('utf8', from, boundary(line, open + 1, open + MAX_BYTES)));
      from = close;
    }
    open = line.indexOf(QUOTE, close + 1);
  }
  return pieces.join('') + line.toString('utf8', from);
}

/** The index of the closing quote of the string that starts at `from`; the end of the line if it is missing. */
function closingQuote(line: Buffer, from: number): number {
  for (let quote = line.indexOf(QUOTE, from); quote !== -1; quote = line.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0;
    while (line[quote - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
  }
  return line.length;
}

/**
 * The first index at or after `at` that is between two characters of the string that starts at `from`, and outside any
 * escape sequence.
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

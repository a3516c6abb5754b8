import { type Fields, timeOf } from '../../core/protocol/fields.ts';
import { hashIn } from '../read/hash-id.ts';
import { LENGTHS, QUOTE } from './json-units.ts';

/**
 * The common form of rows that differ only in some values: their shared text, and the positions of each row's own
 * values. A row that fits needs no parsing, because the shared text delimits its values.
 */
export interface Layout {
  /** Whether the whole line has this form. */
  fits(bytes: Buffer, from: number, to: number): boolean;
  has(open: string): boolean;
  /** Reads the bytes of a slot or hole, in the last row that fit; no bytes if the layout lacks it. */
  bytesOf(open: string): () => Buffer;
  /** Reads the time in a slot; undefined for another value. */
  timeOf(open: string): () => number | undefined;
  /** Reads the string in a slot; undefined for another value. */
  textOf(open: string): () => string | undefined;
  /** Reads the hash of the id in a slot; undefined for another value. */
  idOf(open: string): () => number | undefined;
  /** Reads the count in a slot; NaN for another value, `otherwise` if the layout lacks the slot. */
  countOf(open: string, otherwise: number): () => number;
}

/** Prefixes that mark a placeholder; claude's texts do not contain these characters. */
const SLOT = '\ue000';
const HOLE = '\ue001';
const PARTS = /"([\ue000\ue001][^"\ue000\ue001]*)"/;

/** A placeholder for a string without escapes, for null, or for a count. */
export const slot = (name: string) => SLOT + name;

/** A placeholder for any value. A pattern contains at most two. */
export const hole = (name: string) => HOLE + name;

/** @param pattern a row with slots and holes. Returns undefined if truncated lines would fit as well */
export function layoutOf(pattern: Fields): Layout | undefined {
  const parts = JSON.stringify(pattern).split(PARTS);
  const texts = parts.filter((_, at) => at % 2 === 0);
  const names = parts.filter((_, at) => at % 2 === 1);
  const isHole = (name: string) => name.startsWith(HOLE);
  const [first, last] = [names.findIndex(isHole), names.findLastIndex(isHole)];
  const hasLaterName = texts.slice(last + 1).some((text) => text.includes('"'));
  if (first !== -1 && (!hasLaterName || names.filter(isHole).length > 2)) return undefined;
  // All shared texts, and where each one ends.
  const shared = Buffer.from(texts.join(''));
  const sharedView = viewOf(shared);
  let length = 0;
  const bounds = [0, ...texts.map((text) => (length += Buffer.byteLength(text)))];
  const mark = markIn(texts[first + 1] as string);
  const [begins, ends] = [new Int32Array(names.length), new Int32Array(names.length)];
  let viewed: Buffer = shared;
  let view = sharedView;

  /** Matches a shared text. @returns its end, or -1 */
  function afterText(index: number, at: number): number {
    const [from, to] = [bounds[index] as number, bounds[index + 1] as number];
    const offset = at - from;
    if (at < 0 || offset + to > viewed.length) return -1;
    let place = from;
    // Eight bytes at a time, as numbers: several times as fast. Unequal bytes never compare as equal, because no text
    // has the bytes of a zero. The bytes of `NaN` match nothing, and the row is then parsed.
    for (; place + WORD <= to; place += WORD)
      if (view.getFloat64(offset + place, true) !== sharedView.getFloat64(place, true)) return -1;
    for (; place < to; place++) if (viewed[offset + place] !== shared[place]) return -1;
    return offset + to;
  }

  /** Matches from the start up to a hole. @returns the start of the hole, or -1 without a match */
  function forwards(from: number, text: number, until: number): number {
    let place = from;
    for (let index = text; ; index++) {
      place = afterText(index, place);
      if (index === until || place === -1) return place;
      begins[index] = place;
      place = besideSlot(viewed, place, 1);
      ends[index] = place;
      if (place === -1) return -1;
    }
  }

  /** Matches backwards from the end of the row. @returns the end of the last hole, or -1 without a match */
  function backwards(to: number): number {
    let place = to;
    for (let index = names.length; ; index--) {
      place -= (bounds[index + 1] as number) - (bounds[index] as number);
      if (afterText(index, place) === -1) return -1;
      if (index === last + 1) return place;
      ends[index - 1] = place;
      const before = besideSlot(viewed, place - 1, -1);
      if (before === -1) return -1;
      place = before + 1;
      begins[index - 1] = place;
    }
  }

  /** Reads the string in a slot. */
  function insideOf<T>(open: string, read: (from: number, to: number) => T): () => T | undefined {
    const place = names.indexOf(open);
    return () => {
      const from = begins[place] as number;
      return viewed[from] === QUOTE ? read(from + 1, (ends[place] as number) - 1) : undefined;
    };
  }

  return {
    fits(bytes, from, to) {
      if (bytes !== viewed) view = viewOf(bytes);
      viewed = bytes;
      if (first === -1) return forwards(from, 0, names.length) === to;
      let begin = forwards(from, 0, first);
      if (begin === -1) return false;
      if (first !== last) {
        begins[first] = begin;
        // The shared text after the first hole marks its end.
        const end = bytes.indexOf(mark.bytes, begin) - mark.at;
        ends[first] = end;
        begin = end < begin ? -1 : forwards(end, first + 1, last);
      }
      const end = begin === -1 || begin >= to ? -1 : backwards(to);
      begins[last] = begin;
      ends[last] = end;
      return end > begin;
    },
    has: (open) => names.includes(open),
    bytesOf(open) {
      const place = names.indexOf(open);
      return () => viewed.subarray(begins[place] ?? 0, ends[place] ?? 0);
    },
    timeOf(open) {
      // The last minute: its text in two halves, and its start.
      let [date, clock, start] = [0, 0, 0];
      return insideOf(open, (from, to) => {
        const rest = to - from === TIME_BYTES ? restOfMinute(viewed, from + 2 * WORD) : Number.NaN;
        const isUsual = rest >= 0;
        if (isUsual && view.getFloat64(from) === date && view.getFloat64(from + WORD) === clock) return start + rest;
        const time = timeOf(viewed.toString('latin1', from, to));
        if (isUsual && time !== undefined)
          [date, clock, start] = [view.getFloat64(from), view.getFloat64(from + WORD), time - rest];
        return time;
      });
    },
    textOf: (open) => insideOf(open, (from, to) => viewed.toString('latin1', from, to)),
    idOf: (open) => insideOf(open, (from, to) => hashIn(viewed, from, to)),
    countOf(open, otherwise) {
      const place = names.indexOf(open);
      return place === -1 ? () => otherwise : () => countIn(viewed, begins[place] as number, ends[place] as number);
    },
  };
}

const WORD = Float64Array.BYTES_PER_ELEMENT;

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Characters that are rare in logs. A search for a text checks every occurrence of its first character. */
const RARE = /[A-Z\]]/;

/** Node finds texts of up to six bytes faster than longer ones. */
const MARK_BYTES = 6;

/** The part of a text that is found fastest, and where it begins. */
function markIn(text: string) {
  const bytes = Buffer.from(text);
  const at = Math.max(0, bytes.toString('latin1').search(RARE));
  return { bytes: bytes.subarray(at, at + MARK_BYTES), at };
}

export function afterPiece(bytes: Buffer, from: number, piece: Buffer): number {
  for (let at = 0; at < piece.length; at++) if (bytes[from + at] !== piece[at]) return -1;
  return from + piece.length;
}

const [ZERO, NINE] = [0x30, 0x39];

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}

function countIn(bytes: Buffer, from: number, to: number): number {
  let count = to > from && to - from <= MAX_DIGITS ? 0 : Number.NaN;
  for (let at = from; at < to; at++)
    count = isDigit(bytes[at]) ? count * 10 + (bytes[at] as number) - ZERO : Number.NaN;
  return count;
}

const MAX_DIGITS = 15;

/** Bytes of `2026-05-01T10:00:07.123Z`. */
const TIME_BYTES = 24;

const [COLON, POINT, ZULU] = [0x3a, 0x2e, 0x5a];

/** Milliseconds from `:07.123Z`; NaN for another text. */
function restOfMinute(bytes: Buffer, at: number): number {
  const isUsual = bytes[at] === COLON && bytes[at + 3] === POINT && bytes[at + 7] === ZULU;
  const rest = countIn(bytes, at + 1, at + 3) * 1000 + countIn(bytes, at + 4, at + 7);
  return isUsual && rest < 60_000 ? rest : Number.NaN;
}

const NULL = Buffer.from('null');

/** The index next to a slot, forwards from its first byte or backwards from its last one; -1 for another value. */
function besideSlot(bytes: Buffer, from: number, step: 1 | -1): number {
  let at = from;
  if (bytes[at] === QUOTE) {
    do at += step;
    while (LENGTHS[bytes[at] as number] === 1);
    return bytes[at] === QUOTE ? at + step : -1;
  }
  while (isDigit(bytes[at])) at += step;
  const length = Math.abs(at - from);
  const first = step === 1 ? from : at + 1;
  if (length > 0) return bytes[first] === ZERO && length > 1 ? -1 : at;
  const begin = step === 1 ? from : from + 1 - NULL.length;
  return afterPiece(bytes, begin, NULL) === -1 ? -1 : from + step * NULL.length;
}

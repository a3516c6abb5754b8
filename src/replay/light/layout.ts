import type { Fields } from '../../core/protocol/fields.ts';
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
  /** Readers of the last row that fit: of the bytes of a slot or hole, none if the layout lacks it; */
  bytesOf(open: string): () => Buffer;
  /** of the string in a slot, undefined for another value; */
  textOf(open: string): () => string | undefined;
  /** of the hash of the id in a slot, undefined for another value; */
  idOf(open: string): () => number | undefined;
  /** of the count in a slot, NaN for another value, or of a constant if the layout lacks the slot. */
  countOf(open: string, otherwise: number): () => number;
}

/** Prefixes that mark a placeholder; claude's texts do not contain these characters. */
const SLOT = '\ue000';
const HOLE = '\ue001';
const PARTS = /"([\ue000\ue001][^"\ue000\ue001]*)"/;

/** A placeholder for a string without escapes, for null, or for a count. */
export const slot = (name: string) => SLOT + name;

/** A placeholder for any value. A pattern contains one or two. */
export const hole = (name: string) => HOLE + name;

/** @param pattern a row with slots and holes. Returns undefined if truncated lines would fit as well */
export function layoutOf(pattern: Fields): Layout | undefined {
  const parts = JSON.stringify(pattern).split(PARTS);
  const texts = parts.filter((_, at) => at % 2 === 0);
  const names = parts.filter((_, at) => at % 2 === 1);
  const isHole = (name: string) => name.startsWith(HOLE);
  const [first, last] = [names.findIndex(isHole), names.findLastIndex(isHole)];
  const hasLaterName = texts.slice(last + 1).some((text) => text.includes('"'));
  if (first === -1 || !hasLaterName || names.filter(isHole).length > 2) return undefined;
  const pieces = texts.map(pieceOf);
  const [begins, ends] = [new Int32Array(names.length), new Int32Array(names.length)];
  let viewed: Buffer = Buffer.alloc(0);
  let view: DataView = new DataView(viewed.buffer);

  /** Matches from the start up to a hole. @returns the start of the hole, or -1 without a match */
  function forwards(bytes: Buffer, from: number, piece: number, until: number): number {
    let place = from;
    for (let index = piece; ; index++) {
      place = endOfMatch(bytes, view, place, pieces[index] as Piece);
      if (index === until || place === -1) return place;
      begins[index] = place;
      place = besideSlot(bytes, place, 1);
      ends[index] = place;
      if (place === -1) return -1;
    }
  }

  /** Matches backwards from the end of the row. @returns the end of the last hole, or -1 without a match */
  function backwards(bytes: Buffer, to: number): number {
    let place = to;
    for (let index = names.length; ; index--) {
      const piece = pieces[index] as Piece;
      place -= piece.bytes.length;
      if (endOfMatch(bytes, view, place, piece) === -1) return -1;
      if (index === last + 1) return place;
      ends[index - 1] = place;
      const before = besideSlot(bytes, place - 1, -1);
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
      if (bytes !== viewed) view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      viewed = bytes;
      let begin = forwards(bytes, from, 0, first);
      if (begin === -1) return false;
      if (first !== last) {
        begins[first] = begin;
        // The shared text after the first hole marks its end.
        const { mark, markAt } = pieces[first + 1] as Piece;
        const end = bytes.indexOf(mark, begin) - markAt;
        ends[first] = end;
        begin = end < begin ? -1 : forwards(bytes, end, first + 1, last);
      }
      const end = begin === -1 || begin >= to ? -1 : backwards(bytes, to);
      begins[last] = begin;
      ends[last] = end;
      return end > begin;
    },
    has: (open) => names.includes(open),
    bytesOf(open) {
      const place = names.indexOf(open);
      return () => viewed.subarray(begins[place] ?? 0, ends[place] ?? 0);
    },
    textOf: (open) => insideOf(open, (from, to) => viewed.toString('latin1', from, to)),
    idOf: (open) => insideOf(open, (from, to) => hashIn(viewed, from, to)),
    countOf(open, otherwise) {
      const place = names.indexOf(open);
      return place === -1 ? () => otherwise : () => countIn(viewed, begins[place] as number, ends[place] as number);
    },
  };
}

/** A shared text, also as 64-bit words: comparing eight bytes at a time is several times as fast. */
interface Piece {
  readonly bytes: Buffer;
  /** As numbers: no text has the bytes of a zero, and one with those of `NaN` fits no row. */
  readonly words: Float64Array;
  /** The bytes after the words. */
  readonly tail: Buffer;
  /** Its part from the first capital on, which is found fastest because capitals are rare; and where it begins. */
  readonly mark: Buffer;
  readonly markAt: number;
}

const WORD = Float64Array.BYTES_PER_ELEMENT;

function pieceOf(text: string): Piece {
  const bytes = Buffer.from(text);
  const words = new Float64Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / WORD));
  const markAt = Math.max(0, bytes.toString('latin1').search(/[A-Z]/));
  return { bytes, words, tail: bytes.subarray(words.byteLength), mark: bytes.subarray(markAt), markAt };
}

function endOfMatch(bytes: Buffer, view: DataView, from: number, { words, tail }: Piece): number {
  // `byteLength` is slower: V8 does not inline it.
  const to = from + words.length * WORD;
  if (from < 0 || to > bytes.length) return -1;
  for (let at = 0; at < words.length; at++) if (view.getFloat64(from + at * WORD, true) !== words[at]) return -1;
  return afterPiece(bytes, to, tail);
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
  let count = 0;
  for (let at = from; at < to; at++) count = count * 10 + (bytes[at] as number) - ZERO;
  return isDigit(bytes[from]) && to - from <= MAX_DIGITS ? count : Number.NaN;
}

const MAX_DIGITS = 15;

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

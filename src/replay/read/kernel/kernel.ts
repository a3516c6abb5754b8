// Reads one line of JSON after the other, checks it in full, and leaves of it what a replay reads: members whose key
// nobody asks for are dropped, and of long texts in the content of a message only the beginning stays, with a mark in
// place of the rest, and the rest's measures in a table. What is left is JSON again, much shorter, for JSON.parse.
// A line that is not plainly good (broken, or odd in a way that JSON allows) is left to JSON.parse as it is: nothing is
// judged here.
//
// AssemblyScript; test/support/build.mjs makes dist/reading.wasm of it.
import { ask, CONTENT, DROPPED, fate, TOP, WHOLE } from './keys.ts';
import { boundary, extra, forgetEscapes, isAscii, measure, odd, pairs, scan, shrunk, wide } from './strings.ts';

/** Where things are in the memory. The input comes last, as the memory grows with it. */
export const ANSWER: usize = 0x2000;
export const CUTS: usize = 0x10000;
export const OUT: usize = 0x110000;
const OUT_END: usize = 0x50ff00;
export const INPUT: usize = 0x510000;

/** A cut is five numbers of 32 bits, at every 32nd byte; there is room for so many. */
const CUT_BYTES: usize = 32;
const MOST_CUTS: u32 = 0x8000;

/** UTF-16 units that stay of a long text, at least. */
const BEGINNING: usize = 304;
/** Bytes behind them for which a cut is worth its while. */
const WORTH: usize = 256;

/** Deeper nesting is left to JSON.parse. */
const MOST_DEPTH: i32 = 256;

/** What a line is. */
const BLANK: u32 = 0;
const PLAIN: u32 = 1;
const READ: u32 = 2;
/** Flags beside it: nothing is missing in the output; some of it is not ASCII. */
const COMPLETE: u32 = 4;
const NOT_ASCII: u32 = 8;

let at: usize = 0;
let out: usize = 0;
/** Where the input begins that is neither in the output nor dropped. */
let copied: usize = 0;
let depth: i32 = 0;
let cuts: u32 = 0;
let complete: bool = true;
let mark: u64 = 0;

/** Asks for a key, which is at INPUT; see keys.ts. */
export function askFor(level: u32, length: u32, becomes: u32): void {
  ask(level, INPUT, length, becomes);
}

/** Eight ASCII characters that no text holds by chance. */
export function setMark(characters: u64): void {
  mark = characters;
}

/**
 * Reads the line that begins at `start`. There must be a line feed behind it, and 128 bytes behind that.
 * At ANSWER it puts where the next line begins, where the output ends, the number of cuts, and what the line is.
 */
export function readLine(start: usize): void {
  at = copied = start;
  out = OUT;
  cuts = 0;
  depth = 0;
  complete = true;
  const kind = readObject();
  while (load<u8>(at) !== 0x0a) at++;
  store<u32>(ANSWER, (at + 1) as u32);
  store<u32>(ANSWER, out as u32, 4);
  store<u32>(ANSWER, cuts, 8);
  store<u32>(ANSWER, kind, 12);
}

function readObject(): u32 {
  const first = space();
  if (first === 0x0a) return BLANK;
  if (first !== 0x7b || !members(TOP) || space() !== 0x0a || !flush(at)) return PLAIN;
  return READ | (complete ? COMPLETE : 0) | (isAscii(OUT, out) ? 0 : NOT_ASCII);
}

/** Goes past white space; the byte behind it. A line feed is none, as it ends the line. */
function space(): u8 {
  let byte = load<u8>(at);
  while (byte === 0x20 || byte === 0x09 || byte === 0x0d) byte = load<u8>(++at);
  return byte;
}

function value(becomes: u32): bool {
  switch (space()) {
    case 0x22:
      return becomes === CONTENT ? text() : string();
    case 0x7b:
      return members(becomes);
    case 0x5b:
      return elements(becomes < CONTENT ? WHOLE : becomes);
    case 0x74:
      return word(0x65757274, 4); // true
    case 0x66:
      return word(0x65736c61, 5); // alse
    case 0x6e:
      return word(0x6c6c756e, 4); // null
    default:
      return number();
  }
}

/** `last` is the last four bytes of the word. */
function word(last: u32, length: usize): bool {
  if (load<u32>(at + length - 4) !== last) return false;
  at += length;
  return true;
}

function number(): bool {
  if (load<u8>(at) === 0x2d) at++;
  if (load<u8>(at) === 0x30) at++;
  else if (!digits()) return false;
  if (load<u8>(at) === 0x2e) {
    at++;
    if (!digits()) return false;
  }
  if ((load<u8>(at) | 0x20) !== 0x65) return true;
  at++;
  const sign = load<u8>(at);
  if (sign === 0x2b || sign === 0x2d) at++;
  return digits();
}

function digits(): bool {
  const start = at;
  while ((load<u8>(at) as u32) - 0x30 < 10) at++;
  return at > start;
}

function elements(becomes: u32): bool {
  if (++depth > MOST_DEPTH) return false;
  at++;
  if (space() === 0x5d) return close();
  while (value(becomes)) {
    const after = space();
    if (after === 0x5d) return close();
    if (after !== 0x2c) return false;
    at++;
  }
  return false;
}

function close(): bool {
  at++;
  depth--;
  return true;
}

function members(level: u32): bool {
  if (++depth > MOST_DEPTH) return false;
  at++;
  if (space() === 0x7d) return close();
  while (member(level)) {
    const after = space();
    if (after === 0x7d) return close();
    if (after !== 0x2c) return false;
    at++;
  }
  return false;
}

function member(level: u32): bool {
  const begin = at;
  if (space() !== 0x22) return false;
  const start = at + 1;
  forgetEscapes();
  if (!string()) return false;
  let becomes = level;
  if (level < CONTENT) {
    // An escape may hide a key that is asked for.
    if (shrunk > 0) return false;
    becomes = fate(level, start, (at - 1 - start) as u32);
  }
  if (space() !== 0x3a) return false;
  at++;
  if (becomes < DROPPED || level === DROPPED) return value(becomes);
  return flush(begin) && value(DROPPED) && drop();
}

/** Drops the member that was just read, with the comma behind it, or, if it is the last, the one before it. */
function drop(): bool {
  const after = space();
  complete = false;
  copied = after === 0x2c ? at + 1 : at;
  if (after === 0x7d && load<u8>(out - 1) === 0x2c) out--;
  return true;
}

/** Goes past a string. */
function string(): bool {
  const end = scan(at + 1, usize.MAX_VALUE);
  at = end === 0 ? at : end + 1;
  return end !== 0;
}

/** Goes past a text of a message's content, and cuts it where it is long. */
function text(): bool {
  const start = at + 1;
  let here = start;
  forgetEscapes();
  for (let units: usize = 0; units < BEGINNING; units = here - start - shrunk - wide) {
    here = scan(here, here + BEGINNING - units);
    if (here === 0) return false;
    if (load<u8>(here) === 0x22) {
      at = here + 1;
      return true;
    }
    here = boundary(here);
    if (here === 0 || !measure(start, here)) return false;
  }
  return rest(start, here);
}

/** Cuts what is behind `from` of the text that begins at `start`. */
function rest(start: usize, from: usize): bool {
  forgetEscapes();
  const end = scan(from, usize.MAX_VALUE);
  if (end === 0) return false;
  at = end + 1;
  if (end - from < WORTH) return true;
  if (odd || cuts === MOST_CUTS || !measure(from, end) || !flush(from)) return false;
  const cut = CUTS + (cuts as usize) * CUT_BYTES;
  store<u32>(cut, start as u32);
  store<u32>(cut, end as u32, 4);
  store<u32>(cut, (end - from - shrunk - wide) as u32, 8);
  store<u32>(cut, pairs, 12);
  store<u32>(cut, extra, 16);
  putMark();
  copied = end;
  complete = false;
  cuts++;
  return true;
}

/** The mark and the number of the cut, in letters from a to p. */
function putMark(): void {
  store<u64>(out, mark);
  for (let i: u32 = 0; i < 4; i++) store<u8>(out + 8 + i, 0x61 + ((cuts >> (i * 4)) & 15));
  out += 12;
}

/** Copies the input up to `until` to the output; false where there is no room. */
function flush(until: usize): bool {
  const length = until - copied;
  if (out + length > OUT_END) return false;
  for (let i: usize = 0; i < length; i += 16) v128.store(out + i, v128.load(copied + i));
  out += length;
  copied = until;
  return true;
}

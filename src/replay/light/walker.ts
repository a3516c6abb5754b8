/** Deeper values are read by JSON.parse. */
const MOST_DEPTH = 64;

export const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
export const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const [MINUS, PLUS, POINT, NINE] = [0x2d, 0x2b, 0x2e, 0x39];
export const ZERO = 0x30;
const LOWER_CASE = 0x20;
const EXPONENT = 0x65;

/** Thrown where bytes are not compact JSON: reading them whole tells what they are. */
export const UNUSUAL = new Error('unusual');

/*
 * Walks over compact JSON by its grammar, without making anything of it: JSON.parse takes what is walked over. Each function
 * takes the place where something begins, and gives the one behind it: a place that is kept in a field costs half as much again.
 */

export function behind(byte: number, bytes: Uint8Array, at: number): number {
  if (bytes[at] !== byte) throw UNUSUAL;
  return at + 1;
}

/** @param at where its inside begins */
function behindString(bytes: Uint8Array, at: number): number {
  let place = at;
  for (;;) {
    while (IN_STRING[bytes[place] as number] === PLAIN) place++;
    const byte = bytes[place];
    if (byte === QUOTE) return place + 1;
    if (byte !== BACKSLASH) throw UNUSUAL;
    place = BEHIND_BACKSLASH[bytes[place + 1] as number] === PLAIN ? place + 2 : behindUnicode(bytes, place);
  }
}

export function behindValue(bytes: Uint8Array, at: number, depth: number): number {
  const byte = bytes[at];
  if (byte === QUOTE) return behindString(bytes, at + 1);
  if (byte === OPEN_OBJECT) return behindObject(bytes, at + 1, depth);
  if (byte === OPEN_ARRAY) return behindArray(bytes, at + 1, depth);
  return behindPrimitive(bytes, at);
}

function behindObject(bytes: Uint8Array, at: number, depth: number): number {
  if (depth > MOST_DEPTH) throw UNUSUAL;
  if (bytes[at] === CLOSE_OBJECT) return at + 1;
  for (let place = at; ; place++) {
    place = behindString(bytes, behind(QUOTE, bytes, place));
    place = behindValue(bytes, behind(COLON, bytes, place), depth + 1);
    if (bytes[place] !== COMMA) return behind(CLOSE_OBJECT, bytes, place);
  }
}

function behindArray(bytes: Uint8Array, at: number, depth: number): number {
  if (depth > MOST_DEPTH) throw UNUSUAL;
  if (bytes[at] === CLOSE_ARRAY) return at + 1;
  for (let place = at; ; place++) {
    place = behindValue(bytes, place, depth + 1);
    if (bytes[place] !== COMMA) return behind(CLOSE_ARRAY, bytes, place);
  }
}

function behindPrimitive(bytes: Uint8Array, at: number): number {
  const byte = bytes[at];
  if (byte === NULL[0]) return behindWord(NULL, bytes, at);
  if (byte === TRUE[0]) return behindWord(TRUE, bytes, at);
  if (byte === FALSE[0]) return behindWord(FALSE, bytes, at);
  return behindNumber(bytes, at);
}

function behindWord(word: Uint8Array, bytes: Uint8Array, at: number): number {
  for (let letter = 0; letter < word.length; letter++) if (bytes[at + letter] !== word[letter]) throw UNUSUAL;
  return at + word.length;
}

function behindNumber(bytes: Uint8Array, at: number): number {
  let place = bytes[at] === MINUS ? at + 1 : at;
  place = bytes[place] === ZERO ? place + 1 : behindDigits(bytes, place);
  if (bytes[place] === POINT) place = behindDigits(bytes, place + 1);
  if (((bytes[place] ?? 0) | LOWER_CASE) !== EXPONENT) return place;
  const sign = bytes[place + 1];
  return behindDigits(bytes, sign === PLUS || sign === MINUS ? place + 2 : place + 1);
}

function behindDigits(bytes: Uint8Array, at: number): number {
  let place = at;
  while (isDigit(bytes[place] ?? 0)) place++;
  if (place === at) throw UNUSUAL;
  return place;
}

export function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

const [NULL, TRUE, FALSE] = [Buffer.from('null'), Buffer.from('true'), Buffer.from('false')];

const PLAIN = 1;

/** Bytes that stand for themselves in a string. */
const IN_STRING = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 0 : PLAIN,
);

/** Bytes that are an escape with the backslash before them. */
const BEHIND_BACKSLASH = Uint8Array.from({ length: 256 }, (_, byte) =>
  '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? PLAIN : 0,
);

const UNICODE = 0x75;
const HEX_DIGITS = 4;

function behindUnicode(bytes: Uint8Array, backslash: number): number {
  const end = backslash + 2 + HEX_DIGITS;
  if (bytes[backslash + 1] !== UNICODE) throw UNUSUAL;
  for (let place = backslash + 2; place < end; place++) if (!isHexDigit(bytes[place] ?? 0)) throw UNUSUAL;
  return end;
}

function isHexDigit(byte: number): boolean {
  const letter = byte | LOWER_CASE;
  return isDigit(byte) || (letter >= 0x61 && letter <= 0x66);
}

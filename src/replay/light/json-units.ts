import { isUtf8 } from 'node:buffer';

/** Maximum length of a decoded string in bytes; few results are longer. */
const MAX_BYTES = 256 * 1024;

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Bytes of the character or escape that begins with a byte in a string; 0 if the string must be parsed. */
export const LENGTHS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === BACKSLASH) return 2;
  if (byte < 0x80) return Number(byte >= 0x20 && byte !== QUOTE);
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 0;
});

/** The unit of an escape, by the byte after the backslash; 0 if the string must be parsed. */
const ESCAPES = new Uint16Array(256);
for (const letter of '"\\/bfnrt') ESCAPES[letter.charCodeAt(0)] = JSON.parse(`"\\${letter}"`).charCodeAt(0);

const units = new Uint16Array(MAX_BYTES);

/**
 * Decodes a JSON string into a shared array of UTF-16 units. Strings made by a parser would be most of the garbage of a
 * full reading. The units are valid until the next call.
 *
 * @returns undefined if the value must be parsed: no string, a long one, emoji, or numeric escapes
 */
export function unitsIn(bytes: Buffer): Uint16Array | undefined {
  const isString = bytes[0] === QUOTE && bytes.length <= MAX_BYTES && isUtf8(bytes);
  const count = isString ? decode(bytes) : -1;
  return count === -1 ? undefined : units.subarray(0, count);
}

function decode(bytes: Buffer): number {
  const end = bytes.length - 1;
  let count = 0;
  let at = 1;
  while (at < end) {
    const byte = bytes[at] as number;
    const length = LENGTHS[byte] as number;
    if (length === 1) {
      units[count++] = byte;
      // Faster than adding `length`: the processor can read the next byte before it has decoded this one.
      at++;
    } else {
      const unit = byte === BACKSLASH ? (ESCAPES[bytes[at + 1] as number] as number) : unitAt(bytes, at, length);
      if (unit === 0) return -1;
      units[count++] = unit;
      at += length;
    }
  }
  return at === end && bytes[end] === QUOTE ? count : -1;
}

/** The UTF-16 unit of a character beyond ASCII. */
function unitAt(bytes: Buffer, at: number, length: number): number {
  if (length === 0) return 0;
  let unit = (bytes[at] as number) & (0x7f >> length);
  for (let next = at + 1; next < at + length; next++) unit = (unit << 6) | ((bytes[next] as number) & 0x3f);
  return unit;
}

/** The end of `\u00`. Zeros are rarer than backslashes, at each of which a search would stop. */
const ESCAPE_END = Buffer.from('00');
const [UNICODE, TWO, SEVEN] = [0x75, 0x32, 0x37];

/** Whether a character that needs no escape has one, which could hide a key. Colors of terminals need theirs. */
export function hidesText(text: Buffer): boolean {
  for (let at = text.indexOf(ESCAPE_END); at !== -1; at = text.indexOf(ESCAPE_END, at + 1)) {
    const digit = text[at + 2] as number;
    if (text[at - 2] === BACKSLASH && text[at - 1] === UNICODE && digit >= TWO && digit <= SEVEN) return true;
  }
  return false;
}

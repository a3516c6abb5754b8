import { BACKSLASH, COLON, QUOTE, UNUSUAL, type Walker } from './walker.ts';

/**
 * What is done with a field: `same` are values that repeat from row to row, `new` those that do not; `there` are fields of
 * which it only counts that they are there, `inside` those that are walked into; with an `unusual` one the line is read whole.
 */
export type Take = 'same' | 'new' | 'there' | 'inside' | 'unusual';

export interface Name {
  readonly text: string;
  readonly take: Take;
  /** The value in the bytes from a place to another. */
  valueAt(bytes: Buffer, from: number, to: number): unknown;
}

/** Reads the names of fields. */
export interface Names {
  /** @returns undefined for a name that is not in the table */
  read(walker: Walker): Name | undefined;
}

const BLANK = 0x20;

/** A name need not be made into a text to be known: names are compared byte by byte, with those that are as long. */
export function createNames(takes: Partial<Readonly<Record<Take, readonly string[]>>>): Names {
  const byLength: (Name & { readonly letters: Buffer })[][] = [];
  for (const [take, texts] of Object.entries(takes) as [Take, readonly string[]][]) {
    for (const text of texts) {
      const letters = Buffer.from(text);
      const valueAt = take === 'same' ? createMemory() : valueIn;
      byLength[letters.length] = [...(byLength[letters.length] ?? []), { text, take, letters, valueAt }];
    }
  }
  return {
    read(walker) {
      const { bytes } = walker;
      walker.expect(QUOTE);
      const from = walker.at;
      let end = from;
      while (bytes[end] !== QUOTE) {
        // A name that is written with an escape may be any.
        if (bytes[end] === BACKSLASH || (bytes[end] ?? 0) < BLANK) throw UNUSUAL;
        end++;
      }
      walker.at = end + 1;
      walker.expect(COLON);
      return byLength[end - from]?.find(({ letters }) => isAt(bytes, from, letters));
    },
  };
}

function isAt(bytes: Buffer, from: number, letters: Buffer): boolean {
  for (let at = letters.length - 1; at >= 0; at--) if (bytes[from + at] !== letters[at]) return false;
  return true;
}

function valueIn(bytes: Buffer, from: number, to: number): unknown {
  return isPlain(bytes, from, to)
    ? bytes.toString('latin1', from + 1, to - 1)
    : JSON.parse(bytes.toString('utf8', from, to));
}

/** A string of ASCII without escapes. */
function isPlain(bytes: Buffer, from: number, to: number): boolean {
  if (bytes[from] !== QUOTE || to - from > MOST_REMEMBERED) return false;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte > 0x7f || byte === BACKSLASH) return false;
  }
  return true;
}

/** Bytes of a value that are compared with the one before. */
const MOST_REMEMBERED = 1024;

/** Remembers the last value: most are the same in all rows of a log. */
function createMemory(): Name['valueAt'] {
  const last = Buffer.alloc(MOST_REMEMBERED);
  let length = -1;
  let value: unknown;
  return (bytes, from, to) => {
    if (to - from === length && bytes.compare(last, 0, length, from, to) === 0) return value;
    value = valueIn(bytes, from, to);
    length = to - from <= MOST_REMEMBERED ? bytes.copy(last, 0, from, to) : -1;
    return value;
  };
}

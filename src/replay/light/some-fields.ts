import {
  BACKSLASH,
  behind,
  behindValue,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isDigit,
  OPEN_OBJECT,
  QUOTE,
  UNUSUAL,
  ZERO,
} from './walker.ts';

/** How the value of a field is walked over, where something in it is read. @returns the place behind it */
type Into = (bytes: Buffer, at: number) => number;

/** `repeated`: most rows have the same value as the row before. */
type How = 'new' | 'repeated' | Into;

/** A field of the object that was walked over last. */
export interface Field {
  /** Its value's place in the bytes; -1: it is missing. */
  from: number;
  to: number;
  /** undefined: it is missing. */
  value(): unknown;
}

interface Named extends Field {
  readonly name: string;
  readonly letters: Buffer;
  readonly into: Into | undefined;
}

/** Reads those fields of objects that have one of some names. A name need not be made into a text to be known. */
export function createSomeFields<Name extends string>(hows: Readonly<Record<Name, How>>) {
  let bytes: Buffer = Buffer.alloc(0);
  const all: Named[] = [];
  const byLength: Named[][] = [];

  function add(name: string, how: How): Named {
    const valueAt = how === 'repeated' ? createMemory() : valueIn;
    const letters = Buffer.from(name);
    const value = () => (field.from < 0 ? undefined : valueAt(bytes, field.from, field.to));
    const field: Named = { name, letters, into: typeof how === 'function' ? how : undefined, from: -1, to: -1, value };
    while (byLength.length <= letters.length) byLength.push([]);
    byLength[letters.length]?.push(field);
    all.push(field);
    return field;
  }

  function fieldNamed(from: number, to: number): Named | undefined {
    if (to - from >= byLength.length) return undefined;
    const alike = byLength[to - from] as Named[];
    for (let at = 0; at < alike.length; at++) {
      const field = alike[at] as Named;
      if (isAt(bytes, from, field.letters)) return field;
    }
    return undefined;
  }

  const entries = Object.entries<How>(hows).map(([name, how]) => [name, add(name, how)] as const);
  return {
    field: Object.fromEntries(entries) as unknown as Readonly<Record<Name, Field>>,
    /** Walks over an object. @returns the place behind it */
    walk(line: Buffer, at: number, depth: number): number {
      bytes = line;
      for (let index = 0; index < all.length; index++) (all[index] as Named).from = -1;
      let place = behind(OPEN_OBJECT, line, at);
      if (line[place] === CLOSE_OBJECT) return place + 1;
      for (; ; place++) {
        const name = behind(QUOTE, line, place);
        const end = nameEnd(line, name);
        const field = fieldNamed(name, end);
        const from = behind(COLON, line, end + 1);
        place = field?.into === undefined ? behindValue(line, from, depth) : field.into(line, from);
        if (field !== undefined) {
          field.from = from;
          field.to = place;
        }
        if (line[place] !== COMMA) return behind(CLOSE_OBJECT, line, place);
      }
    },
    /** Those that are there, but for those that were walked into. */
    values(): Record<string, unknown> {
      const values: Record<string, unknown> = {};
      for (let index = 0; index < all.length; index++) {
        const field = all[index] as Named;
        if (field.from >= 0 && field.into === undefined) values[field.name] = field.value();
      }
      return values;
    },
  };
}

const BLANK = 0x20;

/** Where the quote is that closes a name. */
function nameEnd(bytes: Buffer, from: number): number {
  let end = from;
  for (let byte = bytes[end]; byte !== QUOTE; byte = bytes[end]) {
    // A name that is written with an escape may be any.
    if (byte === undefined || byte === BACKSLASH || byte < BLANK) throw UNUSUAL;
    end++;
  }
  return end;
}

function isAt(bytes: Buffer, from: number, letters: Buffer): boolean {
  for (let at = letters.length - 1; at >= 0; at--) if (bytes[from + at] !== letters[at]) return false;
  return true;
}

function valueIn(bytes: Buffer, from: number, to: number): unknown {
  if (isPlain(bytes, from, to)) return bytes.toString('latin1', from + 1, to - 1);
  return countIn(bytes, from, to) ?? JSON.parse(bytes.toString('utf8', from, to));
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

const MOST_DIGITS = 15;

/** undefined: it is no number of digits only. */
function countIn(bytes: Buffer, from: number, to: number): number | undefined {
  if (to - from > MOST_DIGITS) return undefined;
  let count = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (!isDigit(byte)) return undefined;
    count = count * 10 + byte - ZERO;
  }
  return count;
}

/** Bytes of a value that are compared with the one before. */
const MOST_REMEMBERED = 256;

function createMemory(): typeof valueIn {
  const last = Buffer.allocUnsafe(MOST_REMEMBERED);
  let length = -1;
  let value: unknown;
  return (bytes, from, to) => {
    if (to - from === length && isSame(bytes, from, last, length)) return value;
    value = valueIn(bytes, from, to);
    length = to - from <= MOST_REMEMBERED ? bytes.copy(last, 0, from, to) : -1;
    return value;
  };
}

function isSame(bytes: Buffer, from: number, last: Buffer, length: number): boolean {
  for (let at = 0; at < length; at++) if (bytes[from + at] !== last[at]) return false;
  return true;
}

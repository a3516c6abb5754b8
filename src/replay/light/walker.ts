/** Deeper values are read by JSON.parse. */
const MOST_DEPTH = 64;

export const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a];
const COMMA = 0x2c;
export const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const [MINUS, PLUS, POINT, ZERO, NINE] = [0x2d, 0x2b, 0x2e, 0x30, 0x39];
const LOWER_CASE = 0x20;
const EXPONENT = 0x65;

/** Thrown where a line is not compact JSON: reading it whole tells what it is. */
export const UNUSUAL = new Error('unusual');

/** Walks over compact JSON, byte by byte, by its grammar, without making anything of it: JSON.parse takes what it walks over. */
export class Walker {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;

  expect(byte: number): void {
    if (this.bytes[this.at] !== byte) throw UNUSUAL;
    this.at++;
  }

  /** Whether a further part follows; else what holds the parts is closed here. */
  next(close: number): boolean {
    const byte = this.bytes[this.at++];
    if (byte === COMMA) return true;
    if (byte !== close) throw UNUSUAL;
    return false;
  }

  /** Opens what holds parts. @returns whether there are any */
  open(byte: number, close: number): boolean {
    this.expect(byte);
    if (this.bytes[this.at] !== close) return true;
    this.at++;
    return false;
  }

  skipString(): void {
    this.expect(QUOTE);
    const { bytes } = this;
    let { at } = this;
    for (;;) {
      while (IN_STRING[bytes[at] as number] === PLAIN) at++;
      if (bytes[at] !== BACKSLASH) break;
      at = behindEscape(bytes, at);
    }
    this.at = at;
    this.expect(QUOTE);
  }

  /** Walks over a value. */
  skip(depth: number): void {
    const byte = this.bytes[this.at];
    if (byte === QUOTE) this.skipString();
    else if (byte === OPEN_OBJECT) this.skipObject(depth);
    else if (byte === OPEN_ARRAY) this.skipArray(depth);
    else this.skipPrimitive();
  }

  private skipObject(depth: number): void {
    if (depth > MOST_DEPTH) throw UNUSUAL;
    if (!this.open(OPEN_OBJECT, CLOSE_OBJECT)) return;
    do {
      this.skipString();
      this.expect(COLON);
      this.skip(depth + 1);
    } while (this.next(CLOSE_OBJECT));
  }

  private skipArray(depth: number): void {
    if (depth > MOST_DEPTH) throw UNUSUAL;
    if (!this.open(OPEN_ARRAY, CLOSE_ARRAY)) return;
    do this.skip(depth + 1);
    while (this.next(CLOSE_ARRAY));
  }

  private skipPrimitive(): void {
    const byte = this.bytes[this.at];
    if (byte === NULL[0]) this.skipWord(NULL);
    else if (byte === TRUE[0]) this.skipWord(TRUE);
    else if (byte === FALSE[0]) this.skipWord(FALSE);
    else this.skipNumber();
  }

  private skipWord(word: Buffer): void {
    for (let letter = 0; letter < word.length; letter++) this.expect(word[letter] as number);
  }

  private skipNumber(): void {
    const { bytes } = this;
    if (bytes[this.at] === MINUS) this.at++;
    if (bytes[this.at] === ZERO) this.at++;
    else this.skipDigits();
    if (bytes[this.at] === POINT) {
      this.at++;
      this.skipDigits();
    }
    if (((bytes[this.at] ?? 0) | LOWER_CASE) !== EXPONENT) return;
    this.at++;
    if (bytes[this.at] === PLUS || bytes[this.at] === MINUS) this.at++;
    this.skipDigits();
  }

  private skipDigits(): void {
    const from = this.at;
    while (isDigit(this.bytes[this.at])) this.at++;
    if (this.at === from) throw UNUSUAL;
  }
}

const [NULL, TRUE, FALSE] = [Buffer.from('null'), Buffer.from('true'), Buffer.from('false')];

function isDigit(byte = 0): boolean {
  return byte >= ZERO && byte <= NINE;
}

const PLAIN = 1;

/** Bytes that stand for themselves in a string. */
const IN_STRING = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x20 || byte === QUOTE || byte === BACKSLASH ? 0 : PLAIN,
);

const ESCAPED: ReadonlySet<number | undefined> = new Set(Buffer.from('"\\/bfnrt'));
const UNICODE = 0x75;
const HEX_DIGITS = 4;

function behindEscape(bytes: Buffer, at: number): number {
  if (ESCAPED.has(bytes[at + 1])) return at + 2;
  const end = at + 2 + HEX_DIGITS;
  if (bytes[at + 1] !== UNICODE || !/^[\da-f]{4}$/i.test(bytes.toString('latin1', at + 2, end))) throw UNUSUAL;
  return end;
}

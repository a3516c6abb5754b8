import type { LineReader } from './line-reader.ts';
import { type Found, MALFORMED, placed, type ReadLine } from './read-line.ts';
import type { Shrinker } from './shrinker.ts';
import { foundIn, isShrunk, type ShrunkLine } from './shrunk-line.ts';

/** What goes from one thread to another and back, so that it is not made anew each time. */
export interface Parcel {
  /** Lines as they stand, and behind them what the kernel has left of each. */
  bytes: ArrayBuffer;
  /** Of each line, and of its cuts. */
  numbers: ArrayBuffer;
}

/** Lines of a recording that the kernel has shrunk, on their way to the thread that judges them. */
export interface Packed {
  readonly parcel: Parcel;
  readonly lines: number;
  /** Number of the first line, from 1. */
  readonly first: number;
  readonly mark: string;
  /** The beginning of the recording's first line that is not blank, and its number. */
  readonly opening: { readonly number: number; readonly text: string } | undefined;
}

/**
 * Numbers of 32 bits for each line: what the kernel says of it, where the line and what is left of it begin and end,
 * how many cuts it has, and its place in the recording, in two parts.
 */
const LINE_NUMBERS = 8;
/** As many for each cut as in the kernel's table. */
const CUT_NUMBERS = 8;

/** In the place of what the kernel says: nothing was handed over of the line, which is too long. */
const REFUSED = 0xffff;

/** What is left of the lines of a chunk takes less, as a rule. */
const SPARE_BYTES = 1024 * 1024;

const TWO_TO_32 = 2 ** 32;

/** Packs what a line feed reads: at once, or piece by piece. */
export interface Packer extends LineReader {
  /** Takes an empty parcel. */
  open(parcel: Parcel): void;
  /** To be told of each line by the feed. */
  add(line: ReadLine): void;
  /** The lines since it was opened; undefined where there are none, and it stays open. */
  close(): Packed | undefined;
}

/** What the feed is told of a line that is not blank: what stands in it, nobody has looked at yet. */
const PACKED: Found = { kind: 'value', value: {} };

export function createPacker(shrinker: Shrinker): Packer {
  let bytes = Buffer.alloc(0);
  let numbers = new Uint32Array(0);
  let used = 0;
  let lines = 0;
  let first = 0;
  let opening: Packed['opening'];
  /** The line under way; what is left of it begins at `copied` in the parcel. */
  let current: ShrunkLine | undefined;
  let copied = 0;
  let from = 0;

  function reserveBytes(count: number): void {
    if (count <= bytes.length) return;
    const larger = Buffer.from(new ArrayBuffer(count + SPARE_BYTES));
    bytes.copy(larger);
    bytes = larger;
  }

  function reserveNumbers(count: number): void {
    if (used + count <= numbers.length) return;
    const larger = new Uint32Array(2 * (used + count));
    larger.set(numbers.subarray(0, used));
    numbers = larger;
  }

  function write(line: ShrunkLine, offset: number): void {
    const { kind, begin, next, out, end, count } = line;
    reserveNumbers(LINE_NUMBERS + count * CUT_NUMBERS);
    const left = Math.max(0, end - out);
    numbers[used] = kind;
    numbers[used + 1] = begin - from;
    numbers[used + 2] = next - from;
    numbers[used + 3] = copied;
    numbers[used + 4] = copied + left;
    numbers[used + 5] = count;
    numbers[used + 6] = offset % TWO_TO_32;
    numbers[used + 7] = offset / TWO_TO_32;
    reserveBytes(copied + left);
    line.bytes.copy(bytes, copied, out, end);
    copied += left;
    used += LINE_NUMBERS;
    writeCuts(line);
  }

  /** Their texts are elsewhere now. */
  function writeCuts(line: ShrunkLine): void {
    for (let cut = 0; cut < line.count; cut++, used += CUT_NUMBERS) {
      const at = line.first + cut * CUT_NUMBERS;
      numbers.set(line.numbers.subarray(at, at + CUT_NUMBERS), used);
      numbers[used] = (line.numbers[at] ?? 0) - from;
      numbers[used + 1] = (line.numbers[at + 1] ?? 0) - from;
    }
  }

  return {
    get bytes() {
      return shrinker.bytes;
    },
    start: shrinker.start,
    reserve: shrinker.reserve,
    open(parcel) {
      bytes = Buffer.from(parcel.bytes);
      numbers = new Uint32Array(parcel.numbers);
      used = lines = 0;
      opening = undefined;
    },
    read(begin, end, onFound) {
      from = begin;
      copied = end - begin;
      reserveBytes(copied);
      shrinker.bytes.copy(bytes, 0, begin, end);
      for (let at = begin; at < end; ) {
        current = shrinker.shrink(at);
        at = current.next;
        onFound(isShrunk(current) ? PACKED : foundIn(current, shrinker.mark), current.begin);
      }
      current = undefined;
    },
    add({ number, offset, text }) {
      if (lines++ === 0) first = number;
      if (text !== undefined) opening = { number, text };
      write(current ?? NOTHING_LEFT, offset);
    },
    close() {
      const parcel = { bytes: bytes.buffer as ArrayBuffer, numbers: numbers.buffer };
      return lines === 0 ? undefined : { parcel, lines, first, mark: shrinker.mark, opening };
    },
  };
}

const NOTHING_LEFT: ShrunkLine = {
  bytes: Buffer.alloc(0),
  numbers: new Uint32Array(0),
  ...{ begin: 0, next: 0, out: 0, end: 0, first: 0, count: 0, kind: REFUSED },
};

/** Hands over the lines of a parcel. */
export function unpack({ parcel, lines, first, mark, opening }: Packed, onLine: (line: ReadLine) => void): void {
  const bytes = Buffer.from(parcel.bytes);
  const numbers = new Uint32Array(parcel.numbers);
  let at = 0;
  for (let number = first; number < first + lines; number++) {
    const line = lineAt(at, bytes, numbers);
    const offset = (numbers[at + 7] ?? 0) * TWO_TO_32 + (numbers[at + 6] ?? 0);
    const found = line.kind === REFUSED ? MALFORMED : foundIn(line, mark);
    onLine(placed(found, number, offset, opening?.number === number ? opening.text : undefined));
    at = line.first + line.count * CUT_NUMBERS;
  }
}

function lineAt(at: number, bytes: Buffer, numbers: Uint32Array): ShrunkLine {
  return {
    bytes,
    numbers,
    kind: numbers[at] ?? REFUSED,
    begin: numbers[at + 1] ?? 0,
    next: numbers[at + 2] ?? 0,
    out: numbers[at + 3] ?? 0,
    end: numbers[at + 4] ?? 0,
    first: at + LINE_NUMBERS,
    count: numbers[at + 5] ?? 0,
  };
}

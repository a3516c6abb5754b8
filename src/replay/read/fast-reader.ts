import { KNOWN_TYPES } from '../../stream/decode.ts';
import type { Fields } from '../../stream/fields.ts';
import { ASKED_KEYS } from './asked-keys.ts';
import { createMark, fillCuts } from './cuts.ts';
import type { LineReader, OnFound } from './line-reader.ts';
import type { Kernel } from './load-kernel.ts';
import { BLANK, type Found, findIn } from './read-line.ts';

/** As in kernel/kernel.ts. */
const KIND = 3;
const IS_BLANK = 0;
const IS_READ = 2;
const IS_COMPLETE = 4;
const IS_NOT_ASCII = 8;

const PAGE_BYTES = 65_536;
/** The kernel looks so far beyond the last byte. */
const MARGIN_BYTES = 256;

/** Types of lines of which nothing is read but the keys asked for. */
const READ_IN_PART: ReadonlySet<unknown> = new Set(
  [...KNOWN_TYPES, 'assistant', 'user', 'stream_event'].filter((type) => type !== 'attachment'),
);

/** Lines as the plain reader reads them, but for members nobody asks for and texts only the measures of which count. */
export function createFastReader(kernel: Kernel): LineReader {
  const answer = kernel.ANSWER.value / 4;
  const out = kernel.OUT.value;
  const input = kernel.INPUT.value;
  const first = kernel.CUTS.value / 4;
  const mark = createMark();
  let bytes = Buffer.from(kernel.memory.buffer);
  let numbers = new Uint32Array(kernel.memory.buffer);

  function reserve(length: number): void {
    const missing = input + length + MARGIN_BYTES - bytes.length;
    if (missing <= 0) return;
    kernel.memory.grow(Math.ceil(missing / PAGE_BYTES));
    bytes = Buffer.from(kernel.memory.buffer);
    numbers = new Uint32Array(kernel.memory.buffer);
  }

  function prepare(): void {
    reserve(MARGIN_BYTES);
    kernel.setMark(Buffer.from(mark, 'latin1').readBigUInt64LE());
    for (const [level, { keys }] of ASKED_KEYS.entries()) {
      for (const [key, becomes] of Object.entries(keys)) {
        kernel.askFor(level, bytes.write(key, input, 'latin1'), becomes);
      }
    }
  }

  /** The line that begins there and has just been read; undefined where it is for JSON.parse. */
  function found(end: number, count: number, kind: number): Found | undefined {
    if ((kind & KIND) === IS_BLANK) return BLANK;
    if ((kind & KIND) !== IS_READ) return undefined;
    const value = JSON.parse(bytes.toString(kind & IS_NOT_ASCII ? 'utf8' : 'latin1', out, end)) as Fields;
    if (!(kind & IS_COMPLETE) && !READ_IN_PART.has(value.type)) return undefined;
    if (count > 0 && !fillCuts(value, mark, { bytes, numbers, first, count })) return undefined;
    return { kind: 'value', value };
  }

  function read(from: number, to: number, onFound: OnFound): void {
    for (let begin = from; begin < to; ) {
      kernel.readLine(begin);
      const next = numbers[answer] ?? to;
      const line = found(numbers[answer + 1] ?? 0, numbers[answer + 2] ?? 0, numbers[answer + 3] ?? 0);
      onFound(line ?? findIn(bytes.toString('utf8', begin, next)), begin);
      begin = next;
    }
  }

  prepare();
  return {
    get bytes() {
      return bytes;
    },
    start: input,
    reserve,
    read,
  };
}

import { ASKED_KEYS } from './asked-keys.ts';
import { createMark } from './cuts.ts';
import type { Kernel } from './load-kernel.ts';
import type { ShrunkLine } from './shrunk-line.ts';

const PAGE_BYTES = 65_536;
/** The kernel looks so far beyond the last byte. */
const MARGIN_BYTES = 256;

/** Shrinks lines in a memory of its own, which is filled from outside. */
export interface Shrinker {
  /** The memory: another one after each `reserve`. */
  readonly bytes: Buffer;
  /** Where the bytes of the lines begin. */
  readonly start: number;
  /** What the kernel puts in place of what it cuts. */
  readonly mark: string;
  /** Makes room for so many bytes from `start` on; what is there already is kept. */
  reserve(length: number): void;
  /** What is left of the line that begins there; true until the next one. There is a line feed behind it. */
  shrink(begin: number): ShrunkLine;
}

export function createShrinker(kernel: Kernel): Shrinker {
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

  reserve(MARGIN_BYTES);
  kernel.setMark(Buffer.from(mark, 'latin1').readBigUInt64LE());
  for (const [level, { keys }] of ASKED_KEYS.entries()) {
    for (const [key, becomes] of Object.entries(keys)) {
      kernel.askFor(level, bytes.write(key, input, 'latin1'), becomes);
    }
  }
  return {
    get bytes() {
      return bytes;
    },
    start: input,
    mark,
    reserve,
    shrink(begin) {
      kernel.readLine(begin);
      return {
        bytes,
        numbers,
        begin,
        next: numbers[answer] ?? 0,
        out,
        end: numbers[answer + 1] ?? 0,
        first,
        count: numbers[answer + 2] ?? 0,
        kind: numbers[answer + 3] ?? 0,
      };
    },
  };
}

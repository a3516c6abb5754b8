import type { Random } from '../random.ts';
import type { Pools } from './odd-lines.ts';

/** A piece of a stream, and the lines of it, counted by their line feeds. */
export interface Block {
  readonly bytes: Buffer;
  readonly lines: number;
}

const LINE_FEED = 10;
const LINES = 1_000;
const LARGEST = 1 << 20;

/** How often each pool is drawn from: long lines cost the most, and short ones get as far. */
const WEIGHTS = { strange: 55, brokenShort: 25, scraps: 12, short: 4, broken: 2, figures: 1.5, recorded: 0.5 } as const;

/** Bytes that mean something where they are put in the place of others. */
const TELLING = Buffer.from('\n\r\0\\"{}[],:0-e\u007f\x1b\t t');

/** Blocks of lines without an end, the same ones for the same random numbers. Each is drawn up from ready buffers. */
export function createTorrent(pools: Pools, random: Random): { next(): Block } {
  const scratch = Buffer.allocUnsafe(LARGEST);

  function drawUp(): number {
    let size = 0;
    for (let count = 0; count < LINES; count++) {
      const pool = pools[random.weighted(WEIGHTS)];
      const line = pool[random.whole(0, pool.length - 1)] as Buffer;
      if (size + line.length + 2 > LARGEST) break;
      size += line.copy(scratch, size);
      if (random.next() < 0.05) scratch[size++] = 13;
      scratch[size++] = LINE_FEED;
    }
    return size;
  }

  /** Bytes are written over wherever they are: in a character, in a number, on a line feed. */
  function spoil(size: number): void {
    for (let count = random.whole(0, 40); count > 0; count--) {
      const byte =
        random.next() < 0.5 ? (TELLING[random.whole(0, TELLING.length - 1)] as number) : random.whole(0, 255);
      scratch[random.whole(0, size - 1)] = byte;
    }
  }

  return {
    next() {
      const size = drawUp();
      spoil(size);
      // What was written over may have been the last line feed.
      scratch[size - 1] = LINE_FEED;
      const bytes = Buffer.from(scratch.subarray(0, size));
      return { bytes, lines: lineFeedsIn(bytes) };
    },
  };
}

export function lineFeedsIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

/** The same bytes in pieces of any size, also of one byte, and cut anywhere, also inside a character. */
export function* inPieces(bytes: Buffer, random: Random): Generator<Buffer> {
  const largest = random.pick([1 << 16, 1 << 16, 1 << 16, 4_096, 100]);
  for (let at = 0; at < bytes.length; ) {
    // A stream that comes in small pieces to its end would take all the time there is.
    const size = at < 20_000 ? random.whole(1, largest) : 1 << 16;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

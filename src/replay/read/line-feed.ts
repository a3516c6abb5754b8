import { type Found, findIn, MALFORMED, placed, type ReadLine } from './read-line.ts';
import { textOfLine } from './text-of-line.ts';

/** The longest line that is read, in bytes: the longest seen in public recordings is below 10 MiB. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Of a recording's first line no more is shown. */
const FIRST_TEXT_BYTES = 256 * 1024;

/** Most lines fit in a buffer of this size. */
const USUAL_BYTES = 1024 * 1024;

const LINE_FEED = 10;

/** Some editors put it before the first line. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** A place between two lines of a recording. */
export interface LineStart {
  /** Of the first byte of the line that begins there, from 0. */
  readonly offset: number;
  /** Lines before it. */
  readonly lines: number;
}

const BEGINNING: LineStart = { offset: 0, lines: 0 };

/** Where the next bytes of a recording go. */
export interface Room {
  readonly bytes: Buffer;
  readonly at: number;
  readonly length: number;
}

/** Takes a recording chunk by chunk and hands over its lines. */
export interface LineFeed {
  room(): Room;
  /** This many bytes have been put there. */
  took(count: number): void;
  /** Behind the last whole line. */
  place(): LineStart;
  /** There is no more: a last line without a line feed counts. */
  end(): void;
}

export interface FeedOptions {
  /** How many bytes there is room for at a time. */
  readonly chunk: number;
  /** The longest line that is read, in bytes without its line feed; default 64 MiB, at least `chunk`. A longer one is malformed. */
  readonly maxLine?: number;
  /** Where the bytes begin; default: at the recording's first. */
  readonly from?: LineStart | undefined;
}

export function createLineFeed(options: FeedOptions, onLine: (line: ReadLine) => void): LineFeed {
  const { chunk, maxLine = MAX_LINE_BYTES, from: begun = BEGINNING } = options;
  let bytes = Buffer.alloc(0);
  /** Of the first byte in `bytes`. */
  let { offset, lines: number } = begun;
  let held = 0;
  /** Bytes of a line that is too long: they are not kept. */
  let skipped = 0;
  /** There was a line that is not blank. */
  let opened = false;

  function hand(found: Found, begin: number, end: number): void {
    const isFirst = !opened && found.kind !== 'blank';
    opened ||= isFirst;
    const text = isFirst ? bytes.toString('utf8', begin, Math.min(end, begin + FIRST_TEXT_BYTES)) : undefined;
    onLine(placed(found, ++number, offset + begin, text));
  }

  /** Skips the first line if it is too long; where the lines to read begin. */
  function refuse(): number {
    const end = bytes.indexOf(LINE_FEED);
    if (skipped + end <= maxLine) return 0;
    onLine(placed(MALFORMED, ++number, offset - skipped));
    skipped = 0;
    opened = true;
    return end + 1;
  }

  function afterMark(begin: number): number {
    const end = begin + BYTE_ORDER_MARK.length;
    return BYTE_ORDER_MARK.equals(bytes.subarray(begin, end)) ? end : begin;
  }

  /** Hands over the lines up to `end`, and keeps what is behind it. */
  function read(end: number): void {
    const first = skipped > 0 || held > maxLine ? refuse() : 0;
    for (let begin = number === 0 ? afterMark(first) : first; begin < end; ) {
      const next = bytes.indexOf(LINE_FEED, begin) + 1;
      hand(findIn(textOfLine(bytes, begin, next)), begin, next - 1);
      begin = next;
    }
    bytes.copyWithin(0, end, held);
    offset += end;
    held -= end;
  }

  function discard(): void {
    offset += held;
    skipped += held;
    held = 0;
  }

  function room(): Room {
    const needed = held + chunk;
    if (needed > bytes.length) {
      // Memory that nothing was written to costs nothing, and each smaller buffer would be garbage for a while.
      const larger = Buffer.allocUnsafeSlow(needed <= USUAL_BYTES ? USUAL_BYTES : Math.max(needed, maxLine + chunk));
      bytes.copy(larger, 0, 0, held);
      bytes = larger;
    }
    return { bytes, at: held, length: chunk };
  }

  return {
    room,
    took(count) {
      const from = held;
      held += count;
      const last = bytes.subarray(from, held).lastIndexOf(LINE_FEED);
      if (last !== -1) read(from + last + 1);
      if (skipped > 0 || held > maxLine) discard();
    },
    place: () => ({ offset: offset - skipped, lines: number }),
    end() {
      if (held === 0 && skipped === 0) return;
      room().bytes[held] = LINE_FEED;
      held += 1;
      read(held);
    },
  };
}

/** Hands over bytes that are there already. */
export function feedChunk(feed: LineFeed, chunk: Buffer): void {
  for (let from = 0; from < chunk.length; ) {
    const { bytes, at, length } = feed.room();
    const count = chunk.copy(bytes, at, from, from + length);
    feed.took(count);
    from += count;
  }
}

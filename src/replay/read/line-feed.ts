import type { LineReader } from './line-reader.ts';
import { type Found, MALFORMED, placed, type ReadLine } from './read-line.ts';

/** The longest line that is read, in bytes: the longest seen in public recordings is below 10 MiB. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Of a recording's first line no more is shown. */
const TEXT_BYTES = 256 * 1024;

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

/** Hands a recording to a reader chunk by chunk, so that the reader sees whole lines. */
export interface LineFeed {
  room(): Room;
  /** So many bytes have been put there. */
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

export function createLineFeed(reader: LineReader, options: FeedOptions, onLine: (line: ReadLine) => void): LineFeed {
  const { chunk, maxLine = MAX_LINE_BYTES, from: begun = BEGINNING } = options;
  const { start } = reader;
  /** Of the first byte in the reader's memory. */
  let { offset, lines: number } = begun;
  let held = 0;
  /** Bytes of a line that is too long: they are let go. */
  let skipped = 0;
  /** There was a line that is not blank. */
  let opened = false;

  function onFound(found: Found, begin: number): void {
    const text = opened || found.kind === 'blank' ? undefined : textAt(begin);
    opened ||= text !== undefined;
    onLine(placed(found, ++number, offset + begin - start, text));
  }

  function textAt(begin: number): string {
    return reader.bytes.toString('utf8', begin, Math.min(reader.bytes.indexOf(LINE_FEED, begin), begin + TEXT_BYTES));
  }

  /** Goes past the first line where it is too long; where what can be read begins. */
  function refuse(): number {
    const end = reader.bytes.indexOf(LINE_FEED, start);
    if (skipped + end - start <= maxLine) return start;
    onLine(placed(MALFORMED, ++number, offset - skipped));
    skipped = 0;
    opened = true;
    return end + 1;
  }

  function withoutMark(from: number): number {
    const end = from + BYTE_ORDER_MARK.length;
    return BYTE_ORDER_MARK.equals(reader.bytes.subarray(from, end)) ? end : from;
  }

  /** Reads the lines up to `end`, and keeps what is behind it. */
  function read(end: number): void {
    const from = skipped > 0 || held > maxLine ? refuse() : start;
    reader.read(number === 0 ? withoutMark(from) : from, end, onFound);
    reader.bytes.copyWithin(start, end, start + held);
    offset += end - start;
    held -= end - start;
  }

  function letGo(): void {
    offset += held;
    skipped += held;
    held = 0;
  }

  function room(): Room {
    reader.reserve(held + chunk);
    return { bytes: reader.bytes, at: start + held, length: chunk };
  }

  return {
    room,
    took(count) {
      const from = start + held;
      held += count;
      const last = reader.bytes.subarray(from, start + held).lastIndexOf(LINE_FEED);
      if (last !== -1) read(from + last + 1);
      if (skipped > 0 || held > maxLine) letGo();
    },
    place: () => ({ offset: offset - skipped, lines: number }),
    end() {
      if (held === 0 && skipped === 0) return;
      const { bytes, at } = room();
      bytes[at] = LINE_FEED;
      held += 1;
      read(at + 1);
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

import type { Found } from './read-line.ts';

/** Told of a line: what stands in it, and the place of its first byte in the reader's memory. */
export type OnFound = (found: Found, begin: number) => void;

/** Reads lines out of a memory of its own, which is filled from outside. */
export interface LineReader {
  /** The memory: another one after each `reserve`. Bytes behind the last may be read, they mean nothing. */
  readonly bytes: Buffer;
  /** Where the bytes to read begin. */
  readonly start: number;
  /** Makes room for so many bytes from `start` on; what is there already is kept. */
  reserve(length: number): void;
  /** Reads what is between two places; the last byte there is a line feed. */
  read(begin: number, end: number, onFound: OnFound): void;
}

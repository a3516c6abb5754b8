import { KNOWN_TYPES } from '../../stream/decode.ts';
import type { Fields } from '../../stream/fields.ts';
import { type CutTable, fillCuts } from './cuts.ts';
import { BLANK, type Found, findIn } from './read-line.ts';

/** As in kernel/kernel.ts. */
const KIND = 3;
const IS_BLANK = 0;
const IS_READ = 2;
const IS_COMPLETE = 4;
const IS_NOT_ASCII = 8;

/** Types of lines of which nothing is read but the keys asked for. */
const READ_IN_PART: ReadonlySet<unknown> = new Set(
  [...KNOWN_TYPES, 'assistant', 'user', 'stream_event'].filter((type) => type !== 'attachment'),
);

/** What the kernel has left of a line, in a memory that holds the line as well. */
export interface ShrunkLine extends CutTable {
  /** Where the line begins, and where the next one does. */
  readonly begin: number;
  readonly next: number;
  /** Where what is left of it begins and ends. */
  readonly out: number;
  readonly end: number;
  /** What the kernel says of it. */
  readonly kind: number;
}

/** Whether the kernel has gone through the line; it is an object then. */
export function isShrunk({ kind }: ShrunkLine): boolean {
  return (kind & KIND) === IS_READ;
}

/** What stands in a line. */
export function foundIn(line: ShrunkLine, mark: string): Found {
  return shrunkIn(line, mark) ?? findIn(line.bytes.toString('utf8', line.begin, line.next));
}

/** undefined where it is for JSON.parse. */
function shrunkIn(line: ShrunkLine, mark: string): Found | undefined {
  const { kind, bytes, out, end } = line;
  if ((kind & KIND) === IS_BLANK) return BLANK;
  if (!isShrunk(line)) return undefined;
  const value = JSON.parse(bytes.toString(kind & IS_NOT_ASCII ? 'utf8' : 'latin1', out, end)) as Fields;
  if (!(kind & IS_COMPLETE) && !READ_IN_PART.has(value.type)) return undefined;
  if (line.count > 0 && !fillCuts(value, mark, line)) return undefined;
  return { kind: 'value', value };
}

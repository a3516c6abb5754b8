import type { Environment } from '../io.ts';

/** Characters outside of ASCII that reports use, or their substitutes. */
export type Glyphs = Readonly<typeof UNICODE>;

export const UNICODE = {
  /** Cells of a curve, the lowest first. */
  levels: [...'▁▂▃▄▅▆▇█'],
  /** A compaction between two cells of a curve. */
  boundary: '│',
  arrow: '→',
  /** Between figures on a line. */
  dot: '·',
  /** Stands for a missing figure. */
  none: '–',
  ellipsis: '…',
  /** Above a sum. */
  rule: '─',
  /** Before a line: it is so, it is not, it is so but, it is not known. */
  marks: { yes: '✓', no: '✗', but: '!', unknown: '?' },
};

const ASCII: Glyphs = {
  levels: [...'._-~=+*#'],
  boundary: '|',
  arrow: '->',
  dot: '|',
  none: '-',
  ellipsis: '~',
  rule: '-',
  marks: { yes: 'ok', no: 'NO', but: '! ', unknown: '? ' },
};

/** By the locale, as POSIX looks it up: the first of the three that is set counts. */
export function glyphsFor({ LC_ALL, LC_CTYPE, LANG }: Environment): Glyphs {
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '') ? UNICODE : ASCII;
}

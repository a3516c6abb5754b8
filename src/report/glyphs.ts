import type { Environment } from '../io.ts';
/** Characters outside of ASCII that reports use, or their substitutes. */
export interface Glyphs {
  /** Cells of a curve, the lowest first. */
  readonly levels: readonly string[];
  /** A compaction between two cells of a curve. */
  readonly boundary: string;
  readonly arrow: string;
  /** Between figures on a line. */
  readonly dot: string;
  /** Stands for a missing figure. */
  readonly none: string;
  readonly ellipsis: string;
  /** Above a sum. */
  readonly rule: string;
}

export const UNICODE: Glyphs = {
  levels: [...'▁▂▃▄▅▆▇█'],
  boundary: '│',
  arrow: '→',
  dot: '·',
  none: '–',
  ellipsis: '…',
  rule: '─',
};

const ASCII: Glyphs = {
  levels: [...'._-~=+*#'],
  boundary: '|',
  arrow: '->',
  dot: '|',
  none: '-',
  ellipsis: '~',
  rule: '-',
};

/** By the locale, as POSIX looks it up: the first of the three that is set counts. */
export function glyphsFor({ LC_ALL, LC_CTYPE, LANG }: Environment): Glyphs {
  return /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '') ? UNICODE : ASCII;
}

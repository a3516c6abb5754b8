import type { Environment } from '../io.ts';

/** Where text goes decides whether it may be coloured. */
export interface Surface {
  readonly isTTY?: boolean | undefined;
}

type Paint = (text: string) => string;

export type Style = Readonly<Record<'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan', Paint>>;

const asItIs: Paint = (text) => text;

export const PLAIN: Style = { bold: asItIs, dim: asItIs, green: asItIs, yellow: asItIs, red: asItIs, cyan: asItIs };

/**
 * Colours for a surface: none when it is no terminal or NO_COLOR is set (https://no-color.org). chalk is loaded only
 * where it colours: in a script it would be a fifth of the start-up.
 */
export async function styleFor(surface: Surface, env: Environment): Promise<Style> {
  if (surface.isTTY !== true || env.NO_COLOR || env.TERM === 'dumb') return PLAIN;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  // chalk's own functions take any number of texts, so that they could not be handed to map().
  const paint =
    (name: keyof Style): Paint =>
    (text) =>
      chalk[name](text);
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    green: paint('green'),
    yellow: paint('yellow'),
    red: paint('red'),
    cyan: paint('cyan'),
  };
}

/** Characters outside of ASCII that reports use, or their substitutes. */
export type Glyphs = Readonly<typeof UNICODE>;

export const UNICODE = {
  /** Cells of a curve, the lowest first. */
  levels: [...'▁▂▃▄▅▆▇█'],
  boundary: '│',
  arrow: '→',
  /** Between figures on a line. */
  dot: '·',
  /** Stands for a missing figure. */
  none: '–',
  ellipsis: '…',
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

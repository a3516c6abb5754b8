import type { Environment } from '../io.ts';
/** Where text goes decides whether it may be coloured. */
export interface Surface {
  readonly isTTY?: boolean | undefined;
}

type Paint = (text: string) => string;

/** The colours ctxb uses, by name. */
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

import type { ZoneName } from '../core/governor/zones/zones.ts';
import type { Environment } from '../io.ts';

type Paint = (text: string) => string;

const COLORS = ['bold', 'dim', 'green', 'yellow', 'red', 'cyan'] as const;
export type Color = (typeof COLORS)[number];
export type Style = Readonly<Record<Color, Paint>>;

function styleOf(paintFor: (name: Color) => Paint): Style {
  return Object.fromEntries(COLORS.map((name) => [name, paintFor(name)])) as Style;
}

export const PLAIN = styleOf(() => (text) => text);

/**
 * Plain if NO_COLOR is set (https://no-color.org), colored on a terminal or if FORCE_COLOR is set. chalk is loaded on
 * demand, because it takes a fifth of the start-up time of a script.
 */
export async function styleFor(surface: { readonly isTTY?: boolean | undefined }, env: Environment): Promise<Style> {
  const { NO_COLOR, FORCE_COLOR = '', TERM } = env;
  const isForced = FORCE_COLOR === '' ? undefined : !['0', 'false'].includes(FORCE_COLOR);
  if (NO_COLOR || !(isForced ?? (surface.isTTY === true && TERM !== 'dumb'))) return PLAIN;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  // chalk functions take any number of arguments, so passing them to map() would print the index too.
  return styleOf((name) => (text) => chalk[name](text));
}

export const ZONE_COLORS: Readonly<Record<ZoneName, Color>> = {
  ok: 'green',
  monitor: 'green',
  warning: 'yellow',
  critical: 'red',
  handoff: 'red',
};

import { Chalk, type ChalkInstance } from 'chalk';

/** Where text goes decides whether it may be coloured. */
export interface Surface {
  readonly isTTY?: boolean | undefined;
}

/** Colours for a surface: none when it is no terminal or NO_COLOR is set (https://no-color.org). */
export function styleFor(surface: Surface, env: Readonly<Record<string, string | undefined>>): ChalkInstance {
  const coloured = surface.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  return new Chalk({ level: coloured ? 1 : 0 });
}

/** Text from the stream without control characters, so that it cannot steer the terminal it is shown on. */
export function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '').replace(/[\t\n]+/g, ' ');
}

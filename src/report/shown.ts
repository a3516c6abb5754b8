import type { Io, Output } from '../io.ts';
import { hanging } from './layout.ts';

/** Characters that change the direction of the text after them, so that it reads differently (Unicode, UAX 9). */
const DIRECTIONS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';

const STEERING = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u2028\\u2029${DIRECTIONS}]`, 'g');

/** ctxb's own control sequences: the colours of {@link Style}, and the removal of its status line. */
const OURS = '\\r\\n|\\r?\\u001b\\[2?K|\\u001b\\[(?:0|1|2|22|31|32|33|36|39)?m';
const NOT_OURS = new RegExp(`(${OURS})|${STEERING.source}`, 'g');

/** Escaped in JSON in addition to JSON's own escapes. */
const ESCAPED_IN_JSON = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029${DIRECTIONS}]`, 'g');

/**
 * Text from outside without what steers a terminal: control characters, which move, hide and overwrite, and those that
 * turn the direction of writing.
 */
export function printable(text: string): string {
  return text.replace(STEERING, '');
}

/** The same on one line. */
export function onOneLine(text: string): string {
  return printable(text).replace(/[\t\n]+/g, ' ');
}

/** A message of ctxb's on stderr, wrapped where that is a terminal. */
export function tell({ stderr }: Pick<Io, 'stderr'>, text: string): void {
  stderr.write(`${hanging('ctxb:', printable(text), stderr.columns)}\n`);
}

/**
 * A value as JSON. Also escapes characters that control a terminal and JSON leaves alone: DEL, the control characters
 * from 0x80 on, and those that change the writing direction.
 *
 * @param indent spaces for each level; without it, all stands on one line
 */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    ESCAPED_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * The output of a command. It lets no control sequence pass except ctxb's own, whatever its source: a command cannot
 * forget the filter.
 */
export function shownOn(output: Output): Output {
  const write = (chunk: unknown, ...more: unknown[]) =>
    Reflect.apply(output.write, output, [
      typeof chunk === 'string' ? chunk.replace(NOT_OURS, (_, ours?: string) => ours ?? '') : chunk,
      ...more,
    ]);
  return new Proxy(output, {
    get(target, name) {
      if (name === 'write') return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** A text in single quotes, for any POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A command for a POSIX shell; quotes only the words that need it. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word))).join(' ');
}

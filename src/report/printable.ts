import type { Io, Output } from '../io.ts';
import { hangingIndent } from './layout.ts';

/** Unicode marks that change the writing direction, and so the order in which text is displayed (Unicode UAX 9). */
const DIRECTIONS = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';

const CONTROL_CHARACTERS = new RegExp(
  `[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u2028\\u2029${DIRECTIONS}]`,
  'g',
);

/** Control sequences that ctxb writes itself: the colors of {@link Style}, and clearing the status line. */
const OUR_SEQUENCES = '\\r\\n|\\r?\\u001b\\[2?K|\\u001b\\[(?:0|1|2|22|31|32|33|36|39)?m';
const FOREIGN_SEQUENCES = new RegExp(`(${OUR_SEQUENCES})|${CONTROL_CHARACTERS.source}`, 'g');

/** Escaped in JSON in addition to the characters that JSON requires. */
const ESCAPED_IN_JSON = new RegExp(`[\\u007f-\\u009f\\u2028\\u2029${DIRECTIONS}]`, 'g');

/** Removes characters that control a terminal or change the writing direction from untrusted text. */
export function printable(text: string): string {
  return text.replace(CONTROL_CHARACTERS, '');
}

export function onOneLine(text: string): string {
  return printable(text).replace(/[\t\n]+/g, ' ');
}

/** Writes a ctxb message to stderr, wrapped if stderr is a terminal. */
export function tell({ stderr }: Io, text: string): void {
  stderr.write(`${hangingIndent('ctxb:', printable(text), stderr.columns)}\n`);
}

/**
 * JSON that also escapes DEL, the control characters from 0x80 to 0x9f, and marks that change the writing direction.
 */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    ESCAPED_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Removes all control sequences except ctxb's own, so that no command has to call a filter. */
export function withoutControls(output: Output): Output {
  const write = (chunk: unknown, ...more: unknown[]) =>
    Reflect.apply(output.write, output, [
      typeof chunk === 'string' ? chunk.replace(FOREIGN_SEQUENCES, (_, ours?: string) => ours ?? '') : chunk,
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

export function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

import { ESCAPED_IN_JSON } from './shown.ts';

/**
 * A value as JSON. What steers a terminal and JSON leaves as it is, is escaped too: DEL, the control characters from 0x80
 * on, and those that turn the direction of writing.
 *
 * @param indent spaces for each level; without it, all stands on one line
 */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    ESCAPED_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

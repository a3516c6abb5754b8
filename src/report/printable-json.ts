/**
 * A value as JSON. DEL and the control characters from 0x80 on are escaped too, which JSON leaves as they are: some
 * terminals take them for commands.
 *
 * @param indent spaces for each level; without it, all stands on one line
 */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u00${character.charCodeAt(0).toString(16)}`,
  );
}

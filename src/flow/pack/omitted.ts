import { codePoints } from '../../governor/gauge/token-estimate.ts';
import { LINE_LENGTH, oneLine } from '../../memory/words.ts';
import { BETWEEN_PARTS, grouped } from './characters.ts';

/** The most that the line about omitted steps takes, the break after it included. */
export const OMITTED_LENGTH = 250;

/** Names as many of the omitted steps as fit in a line; the receipt names them all. Empty when there are none. */
export function omittedLine(stepIds: readonly string[]): string {
  if (stepIds.length === 0) return '';
  const most = OMITTED_LENGTH - BETWEEN_PARTS.length - lineOf([], stepIds.length).length - 1;
  const names: string[] = [];
  let used = 0;
  for (const id of stepIds) {
    const name = oneLine(id, LINE_LENGTH);
    used += codePoints(name) + 2;
    if (used > most) break;
    names.push(name);
  }
  return lineOf(names, stepIds.length - names.length);
}

function lineOf(names: readonly string[], more: number): string {
  return `Omitted: ${[...names, ...(more > 0 ? [`${grouped(more)} more`] : [])].join(', ')}.`;
}

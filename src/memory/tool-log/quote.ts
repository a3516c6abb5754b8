import { cut, cutterWith, oneLine, shortened } from '../words.ts';

/**
 * A text from a tool as it may stand in a line of ours: masked, on one line, between backticks, at most `length` code
 * points between them, of which the last three are dots when it was longer.
 */
export type Quote = (text: string, length: number) => string;

/** Code points of what is quoted. */
export const NAME = 60;
export const FILE = 100;
export const PATH = 160;
export const TEXT = 160;

/** The name of a tool or of a kind, which is known to be no text: without what could pose as a quotation. */
export function bare(name: string): string {
  return oneLine(name, NAME).replaceAll('`', "'");
}

export function quoteWith(mask: (text: string) => string): Quote {
  const cutTo = cutterWith(mask);
  return (text, length) => `\`${shortened(cutTo(text, length + 1), length).replaceAll('`', "'")}\``;
}

/** A line with quotations in it, at most `length` code points; one that was cut through is closed again. */
export function shortenedLine(line: string, length: number): string {
  const short = shortened(line, length);
  if (!isOpen(short)) return short;
  const head = cut(line, length - 4);
  return `${head}${isOpen(head) ? '`' : ''}...`;
}

function isOpen(line: string): boolean {
  return line.split('`').length % 2 === 0;
}

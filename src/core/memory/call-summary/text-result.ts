import { groupsIn, numberOf, textOf } from '../../protocol/fields.ts';
import { cut, cutterWith, lineFeeds, type Mask, oneLine, shorten } from '../../text/words.ts';
import type { EndedCall } from '../extract/tool-calls.ts';

/** Quotes text from a tool: masked, on one line, in backticks, with at most `length` code points between them. */
export type Quote = (text: string, length: number) => string;

/** Maximum code points of a quotation, by its kind. */
export const NAME_LENGTH = 60;
export const FILE_LENGTH = 100;
export const PATH_LENGTH = 160;
export const TEXT_LENGTH = 160;

/** A tool's name without backticks, so that it cannot pose as a quotation. */
export function withoutBackticks(name: string): string {
  return oneLine(name, NAME_LENGTH).replaceAll('`', "'");
}

export function createQuote(mask: Mask): Quote {
  const cutTo = cutterWith(mask);
  return (text, length) => `\`${shorten(cutTo(text, length + 1), length).replaceAll('`', "'")}\``;
}

/** Shortens a line to `length` code points; closes a quotation that the cut leaves open. */
export function shortenLine(line: string, length: number): string {
  const shortText = shorten(line, length);
  if (!isOpen(shortText)) return shortText;
  const head = cut(line, length - 4);
  return `${head}${isOpen(head) ? '`' : ''}...`;
}

function isOpen(line: string): boolean {
  return line.split('`').length % 2 === 0;
}

/** UTF-16 units of a text that are read; claude shows the model less. */
const NEAR_LENGTH = 256_000;

export function firstLines(text: string): readonly string[] {
  const lines = (text.length > NEAR_LENGTH ? text.slice(0, text.lastIndexOf('\n', NEAR_LENGTH) + 1) : text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export function countLines(text: string): number {
  return lineFeeds(text) + (text === '' || text.endsWith('\n') ? 0 : 1);
}

const KILO = 1_024;

/** `512B`, `14.6KB`, `1.2MB`; `?B` for an unknown size. Halves are rounded down: 1,280 bytes are 1.2 KB. */
export function sizeText(bytes: number | undefined): string {
  if (bytes === undefined) return '?B';
  if (bytes < KILO) return `${bytes}B`;
  const [size, unit] = bytes < KILO * KILO ? [bytes / KILO, 'KB'] : [bytes / KILO / KILO, 'MB'];
  return `${(size - 1e-9).toFixed(1)}${unit}`;
}

const NON_ASCII = /[^\x00-\x7f]/;

/** Size of a text in UTF-8. */
export function bytesOf(text: string): number {
  return NON_ASCII.test(text) ? new TextEncoder().encode(text).length : text.length;
}

/** claude's placeholder for an empty output. */
export const NO_TEXT = /^\(\S+ completed with no output\)$/;

/** `no text`, the only line, or the number of lines, the size and the first or last line. */
export function summarizeText(text: string, telling: 'first' | 'last', quote: Quote): string {
  const shown = text.trim();
  if (shown === '' || NO_TEXT.test(shown)) return 'no text';
  const first = shown.indexOf('\n');
  if (first < 0) return quote(shown, TEXT_LENGTH);
  const line = telling === 'first' ? shown.slice(0, first) : shown.slice(shown.lastIndexOf('\n') + 1);
  return `${countLines(shown)} lines, ${sizeText(bytesOf(shown))}, ${telling} ${quote(line, TEXT_LENGTH)}`;
}

/** UTF-16 units at the start of a text that are searched for the path. */
const HEAD = 2_000;
const PERSISTED =
  /^<persisted-output>\s{0,9}Output too large \(([\w.,]{1,20})\)\. Full output saved to: (\S.{0,1000})$/m;
const SAVED = /^Error: result \(([\d,]{1,20} characters)\b.{0,100}exceeds maximum .{0,60}saved to (\S.{0,1000})\.$/m;

/** `39.1KB, whole in PATH`: names the file in which claude saved a result too large for the model. */
export function describeKept({ report, result }: EndedCall, quote: Quote): string | undefined {
  const { persistedOutputPath, persistedOutputSize } = report;
  const path = textOf(persistedOutputPath);
  if (path !== undefined) return `${sizeText(numberOf(persistedOutputSize))}, whole in ${quote(path, PATH_LENGTH)}`;
  const head = result.text.slice(0, HEAD);
  const [size, place] = [PERSISTED, SAVED].flatMap((pattern) => groupsIn(pattern, head));
  return place === undefined ? undefined : `${size}, whole in ${quote(place, PATH_LENGTH)}`;
}

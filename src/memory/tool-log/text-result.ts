import { fieldsOf, textOf } from '../../stream/fields.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import { countLines } from './near-lines.ts';
import { PATH, type Quote, TEXT } from './quote.ts';
import { bytesOf, sizeText } from './size-text.ts';

/** What claude puts in the place of a text that there is none of. */
const NO_TEXT = /^\(\S+ completed with no output\)$/;

/** `no text`, the only line, or how many lines of what size and the one that says most. */
export function tellText(text: string, telling: 'first' | 'last', quote: Quote): string {
  const shown = text.trim();
  if (shown === '' || NO_TEXT.test(shown)) return 'no text';
  const first = shown.indexOf('\n');
  if (first < 0) return quote(shown, TEXT);
  const line = telling === 'first' ? shown.slice(0, first) : shown.slice(shown.lastIndexOf('\n') + 1);
  return `${countLines(shown)} lines, ${sizeText(bytesOf(shown))}, ${telling} ${quote(line, TEXT)}`;
}

/** So much of a text is looked at for where it was put. */
const HEAD = 2_000;
const PERSISTED =
  /^<persisted-output>\s{0,9}Output too large \(([\w.,]{1,20})\)\. Full output saved to: (\S.{0,1000})$/m;
const SAVED = /^Error: result \(([\d,]{1,20} characters)\b.{0,100}exceeds maximum .{0,60}saved to (\S.{0,1000})\.$/m;

/** `39.1KB, whole in PATH`: where claude has put a result that was too large for the model. */
export function tellKept({ report, result }: EndedCall, quote: Quote): string | undefined {
  const { persistedOutputPath, persistedOutputSize } = fieldsOf(report);
  const path = textOf(persistedOutputPath);
  if (path !== undefined) return `${sizeText(numberOf(persistedOutputSize))}, whole in ${quote(path, PATH)}`;
  const head = result.text.slice(0, HEAD);
  const [, size, place] = PERSISTED.exec(head) ?? SAVED.exec(head) ?? [];
  return place === undefined ? undefined : `${size}, whole in ${quote(place, PATH)}`;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

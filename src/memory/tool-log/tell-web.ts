import { fieldsOf, textOf } from '../../stream/fields.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import { counted } from '../words.ts';
import { listed } from './listed.ts';
import { NAME, PATH, type Quote } from './quote.ts';
import { sizeText } from './size-text.ts';
import { numberOf, tellText } from './text-result.ts';

/** `WebFetch https://example.org (200, 63.1KB): 14 lines, 1.2KB, first …`. */
export function tellFetch({ call, report, result }: EndedCall, quote: Quote): string {
  const { code, bytes, result: answer } = fieldsOf(report);
  const [status, size] = [numberOf(code), numberOf(bytes)];
  const extent = [...(status === undefined ? [] : [status]), ...(size === undefined ? [] : [sizeText(size)])].join(
    ', ',
  );
  const url = quote(textOf(fieldsOf(call.use.input).url) ?? '', PATH);
  return `WebFetch ${url}${extent === '' ? '' : ` (${extent})`}: ${tellText(textOf(answer) ?? result.text, 'first', quote)}`;
}

const MAX_TITLES = 3;

/** `WebSearch query: 10 results: title, title, title... (+7 more)`. */
export function tellWebSearch({ call, report, result }: EndedCall, quote: Quote): string {
  const query = quote(textOf(fieldsOf(call.use.input).query) ?? '', PATH);
  const { results } = fieldsOf(report);
  const titles = (Array.isArray(results) ? results : []).flatMap(titlesIn);
  if (titles.length === 0) return `WebSearch ${query}: ${tellText(result.text, 'first', quote)}`;
  return `WebSearch ${query}: ${counted(titles.length, 'result')}: ${listed(titles, MAX_TITLES, (title) => quote(title, NAME))}`;
}

/** Between the lists of links stands what the model says of them. */
function titlesIn(part: unknown): string[] {
  const { content } = fieldsOf(part);
  return (Array.isArray(content) ? content : []).flatMap((link) => textOf(fieldsOf(link).title) ?? []);
}

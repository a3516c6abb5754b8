import { type Fields, fieldsOf, textOf, textsOf } from '../../stream/fields.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import { tellFiles } from './file-list.ts';
import { type Matches, readMatchCounts, readMatches, tellMatches, tellMatchingFiles } from './matches.ts';
import { nearLines } from './near-lines.ts';
import { NAME, PATH, type Quote } from './quote.ts';
import { numberOf, tellText } from './text-result.ts';

/** `Grep zone in src: 12 matches in 3 files: a.ts (7), …`, `Glob **.ts: 35 files. Types: …`. */
export function tellSearch(ended: EndedCall, placeOf: (path: string) => string, quote: Quote): string {
  const { name } = ended.call.use;
  const input = fieldsOf(ended.call.use.input);
  const place = textOf(input.path);
  const where = place === undefined || place === '' ? '' : ` in ${quote(placeOf(place), PATH)}`;
  const found = name === 'Glob' ? globOf(ended, quote) : grepOf(ended, input, quote);
  return `${name} ${quote(textOf(input.pattern) ?? '', NAME)}${where}: ${found}`;
}

/** claude itself reports fewer. */
const MAX_NAMES = 10_000;

function globOf({ report, result }: EndedCall, quote: Quote): string {
  const { filenames, numFiles, truncated } = fieldsOf(report);
  const isReported = Array.isArray(filenames);
  const paths = isReported
    ? textsOf(filenames.slice(0, MAX_NAMES))
    : linesOf(result.text).filter((line) => line !== 'No files found');
  const total = isReported ? numberOf(numFiles) : undefined;
  return tellFiles({ paths, ...(total === undefined ? {} : { total }), more: truncated === true }, quote);
}

function grepOf({ report, result }: EndedCall, input: Fields, quote: Quote): string {
  const fields = fieldsOf(report);
  const more = numberOf(fields.appliedLimit) !== undefined;
  const mode = textOf(fields.mode) ?? textOf(input.output_mode) ?? 'files_with_matches';
  const content = textOf(fields.content) ?? contentIn(result.text);
  const tell = (matches: Matches) => tellMatches({ ...matches, more: more || matches.more === true }, quote);
  if (mode === 'count') return tell(readMatchCounts(content));
  if (mode === 'content') {
    const context = ['-A', '-B', '-C', 'context'].some((key) => numberOf(input[key]) !== undefined);
    const numbered = input['-n'] === true || undefined;
    const matches = readMatches(content, { only: onlyFile(input, content), numbered, context });
    return matches === undefined ? tellText(content, 'first', quote) : tell(matches);
  }
  const files = Array.isArray(fields.filenames) ? textsOf(fields.filenames.slice(0, MAX_NAMES)) : linesOf(content);
  return tellMatchingFiles(files, more, quote);
}

/** A file was named to be searched, and no line names one. */
function onlyFile(input: Fields, content: string): string | undefined {
  const path = textOf(input.path) ?? '';
  const first = content.slice(0, 1_000).split('\n', 1)[0] ?? '';
  if (path === '' || !/[^/\\]\.\w{1,12}$/.test(path.slice(-100))) return undefined;
  return input['-n'] === false || /^\d{1,9}[:-]/.test(first) ? path : undefined;
}

const NONE = /^No (?:matches|files) found\b/;
const HEAD = /^Found \d+ (?:files?|total occurrences?)\b/;
const FOOT = /^\[Showing results with pagination\b/;

/** Without what claude says before and behind what was found. */
function contentIn(text: string): string {
  return linesOf(text)
    .filter((line) => !NONE.test(line) && !HEAD.test(line) && !FOOT.test(line))
    .join('\n');
}

function linesOf(text: string): string[] {
  return nearLines(text).lines.filter((line) => line !== '');
}

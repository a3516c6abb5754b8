import { type Fields, fieldsOf, textOf } from '../../stream/fields.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import { counted } from '../words.ts';
import { definitionsIn } from './definitions.ts';
import { listed } from './listed.ts';
import { countLines } from './near-lines.ts';
import { NAME, PATH, type Quote } from './quote.ts';
import { bytesOf, sizeText } from './size-text.ts';
import { numberOf } from './text-result.ts';

/** What was read of a file. */
export interface FileRead {
  readonly path: string | undefined;
  /** Undefined for what has none. */
  readonly lines?: number | undefined;
  /** Where that is not all of it: the first line, and how many the file has. */
  readonly part?: { readonly from: number; readonly of: number } | undefined;
  readonly bytes?: number | undefined;
  readonly binary?: boolean;
  /** Of a notebook. */
  readonly cells?: number;
  /** claude left out what it was not told to leave out. */
  readonly truncated?: boolean;
  /** It is as it was when it was read before, and was not shown again. */
  readonly unchanged?: boolean;
  readonly definitions?: readonly string[];
}

const MAX_DEFINITIONS = 12;

/** `Read src/a.ts (500 lines, 14.6KB): defines one, other`. */
export function tellFileRead(read: FileRead, quote: Quote): string {
  const { path = 'unknown', truncated, definitions = [] } = read;
  const names = listed(definitions, MAX_DEFINITIONS, (name) => quote(name, NAME));
  const mark = truncated === true ? ' [truncated]' : '';
  return `Read ${quote(path, PATH)} (${extentOf(read)})${mark}${names === '' ? '' : `: defines ${names}`}`;
}

function extentOf({ lines, part, bytes, binary, cells, unchanged }: FileRead): string {
  if (unchanged === true) return 'unchanged since it was read before';
  const size = sizeText(bytes);
  if (binary === true) return `binary, ${size}`;
  if (cells !== undefined) return `${counted(cells, 'cell')}, ${size}`;
  if (lines === undefined) return size;
  if (part === undefined) return `${lines} lines, ${size}`;
  return lines === 0
    ? `none of ${part.of} lines`
    : `lines ${part.from}-${part.from + lines - 1} of ${part.of}, ${size}`;
}

export function tellRead(ended: EndedCall, placeOf: (path: string) => string, quote: Quote): string {
  const input = fieldsOf(ended.call.use.input);
  const { type, file: reported } = fieldsOf(ended.report);
  const file = fieldsOf(reported);
  const named = textOf(input.file_path) ?? textOf(file.filePath);
  const path = named === undefined || named === '' ? undefined : placeOf(named);
  return tellFileRead({ path, ...extentIn(type, file, ended.result.text) }, quote);
}

function extentIn(type: unknown, file: Fields, text: string): Omit<FileRead, 'path'> {
  if (type === 'file_unchanged') return { unchanged: true };
  if (type === 'notebook' && Array.isArray(file.cells)) return { cells: file.cells.length, bytes: bytesOf(text) };
  const content = textOf(file.content);
  if (content !== undefined) return shownOf(file, content);
  if (textOf(file.base64) !== undefined) return { binary: true, bytes: numberOf(file.originalSize) };
  return numberedOf(text);
}

function shownOf(file: Fields, content: string): Omit<FileRead, 'path'> {
  const lines = numberOf(file.numLines) ?? countLines(content);
  const from = numberOf(file.startLine) ?? 1;
  const of = numberOf(file.totalLines) ?? lines;
  const isPart = lines < of;
  return {
    lines,
    part: isPart ? { from, of } : undefined,
    bytes: bytesOf(content),
    truncated: file.truncatedByTokenCap === true,
    definitions: definitionsIn(content),
  };
}

/** Lines as the model gets them: `12→text` or `12⇥text`, the first ones padded. */
const NUMBERED = /^ {0,9}(\d{1,9})(?:→|\t)/gm;

/** Where there is no report beside it, the text for the model is all there is. */
function numberedOf(text: string): Omit<FileRead, 'path'> {
  const [first] = text.matchAll(NUMBERED);
  if (first === undefined) return text === '' ? {} : { lines: countLines(text), bytes: bytesOf(text) };
  const end = text.indexOf('\n\n<system-reminder>', first.index);
  const content = text.slice(first.index, end < 0 ? text.length : end).replace(NUMBERED, '');
  return { lines: countLines(content), bytes: bytesOf(content), definitions: definitionsIn(content) };
}

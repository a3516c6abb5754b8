import { type Fields, fieldsOf, listOf, numberOf, stringOf, textOf, textsOf } from '../../protocol/fields.ts';
import { pluralize } from '../../text/words.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import {
  type CountedName,
  readMatchCounts,
  readMatches,
  summarizeFiles,
  summarizeMatchCounts,
  summarizeMatchingFiles,
} from './found-files.ts';
import {
  bytesOf,
  countLines,
  NAME_LENGTH,
  nearLines,
  PATH_LENGTH,
  type Quote,
  sizeText,
  summarizeText,
} from './text-result.ts';

interface FileRead {
  /** The displayed part of the file; undefined for the whole file. */
  readonly extent?: string | undefined;
  /** Undefined for files without lines. */
  readonly lines?: number | undefined;
  readonly bytes?: number | undefined;
  readonly binary?: boolean;
  /** claude truncated the file at its own limit. */
  readonly truncated?: boolean;
}

/** `Read src/a.ts (500 lines, 14.6KB)`. */
export function summarizeFileRead(path: string | undefined, read: FileRead, quote: Quote): string {
  const { lines, bytes, binary, truncated } = read;
  const length = lines === undefined ? '' : `${lines} lines, `;
  const { extent = `${binary ? 'binary, ' : length}${sizeText(bytes)}` } = read;
  const mark = truncated ? ' [truncated]' : '';
  return `Read ${quote(path ?? 'unknown', PATH_LENGTH)} (${extent})${mark}`;
}

export function summarizeRead(ended: EndedCall, quote: Quote, placeOf: (path: string) => string): string {
  const { input, report, result } = ended;
  const file = fieldsOf(report.file);
  const named = textOf(input.file_path) ?? textOf(file.filePath);
  return summarizeFileRead(named && placeOf(named), readIn(report.type, file, result.text), quote);
}

function readIn(type: unknown, file: Fields, text: string): FileRead {
  if (type === 'file_unchanged') return { extent: 'unchanged since it was read before' };
  if (type === 'notebook' && Array.isArray(file.cells)) {
    return { extent: `${pluralize(file.cells.length, 'cell')}, ${sizeText(bytesOf(text))}` };
  }
  if (textOf(file.base64) !== undefined) return { binary: true, bytes: numberOf(file.originalSize) };
  const content = textOf(file.content);
  if (content === undefined) return numberedOf(text);
  const lines = numberOf(file.numLines) ?? countLines(content);
  return {
    extent: partOf(file, lines, content),
    lines,
    bytes: bytesOf(content),
    truncated: file.truncatedByTokenCap === true,
  };
}

/** `lines 5-7 of 31, 23B`; undefined for the whole file. */
function partOf({ startLine, totalLines }: Fields, lines: number, content: string): string | undefined {
  const from = numberOf(startLine) ?? 1;
  const all = numberOf(totalLines) ?? lines;
  if (lines >= all) return undefined;
  return lines === 0
    ? `none of ${all} lines`
    : `lines ${from}-${from + lines - 1} of ${all}, ${sizeText(bytesOf(content))}`;
}

/** The line format that the model reads: `12→text` or `12⇥text`, with padded numbers. */
const NUMBERED = /^ {0,9}(\d{1,9})(?:→|\t)/gm;

function numberedOf(text: string): FileRead {
  const [first] = text.matchAll(NUMBERED);
  if (first === undefined) return text === '' ? {} : { lines: countLines(text), bytes: bytesOf(text) };
  const end = text.indexOf('\n\n<system-reminder>', first.index);
  const content = text.slice(first.index, end < 0 ? text.length : end).replace(NUMBERED, '');
  return { lines: countLines(content), bytes: bytesOf(content) };
}

/** `Edit src/a.ts (+3/-1 lines)`, `Write src/b.ts (created, 120 lines, 3.2KB)`. */
export function summarizeEdit(ended: EndedCall, quote: Quote, placeOf: (path: string) => string): string {
  const { use, input, report } = ended;
  const { name } = use;
  const path = textOf(input.file_path) ?? textOf(input.notebook_path) ?? '';
  const extent = name === 'Write' ? writtenExtent(input, report) : editOf(name, input, report, quote);
  return `${name} ${quote(path === '' ? 'unknown' : placeOf(path), PATH_LENGTH)} (${extent})`;
}

function writtenExtent(input: Fields, report: Fields): string {
  const content = stringOf(input.content);
  const patch = patchOf(report);
  if (report.type !== 'create' && patch !== undefined) return `overwritten, ${patch}`;
  const how = report.type === 'update' ? 'overwritten' : report.type === 'create' ? 'created' : 'written';
  return `${how}, ${pluralize(countLines(content), 'line')}, ${sizeText(bytesOf(content))}`;
}

function editOf(name: string, input: Fields, report: Fields, quote: Quote): string {
  if (name === 'NotebookEdit') {
    const cell = textOf(input.cell_id);
    const mode = input.edit_mode === 'insert' || input.edit_mode === 'delete' ? input.edit_mode : 'replace';
    const lines = countLines(stringOf(input.new_source));
    return `${mode}${cell === undefined ? '' : ` cell ${quote(cell, NAME_LENGTH)}`}, +${lines} lines`;
  }
  const count = (key: string) => countLines(stringOf(input[key]));
  return patchOf(report) ?? `+${count('new_string')}/-${count('old_string')} lines`;
}

/** `+3/-1 lines`; undefined if the tool reports no patch, for example for a new file. */
function patchOf({ structuredPatch }: Fields): string | undefined {
  const lines = listOf(structuredPatch).flatMap((hunk) => textsOf(fieldsOf(hunk).lines));
  const countMarked = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  return listOf(structuredPatch).length === 0 ? undefined : `+${countMarked('+')}/-${countMarked('-')} lines`;
}

/** `Grep zone in src: 12 matches in 3 files: a.ts (7), …`, `Glob **.ts: 35 files. Types: …`. */
export function summarizeSearch(ended: EndedCall, quote: Quote, placeOf: (path: string) => string): string {
  const { use, input } = ended;
  const { name } = use;
  const place = textOf(input.path);
  const where = place === undefined || place === '' ? '' : ` in ${quote(placeOf(place), PATH_LENGTH)}`;
  const description = name === 'Glob' ? globOf(ended, quote) : grepOf(ended, quote);
  return `${name} ${quote(stringOf(input.pattern), NAME_LENGTH)}${where}: ${description}`;
}

function globOf({ report, result }: EndedCall, quote: Quote): string {
  const { filenames, numFiles, truncated } = report;
  const names = namesIn(filenames);
  const paths = names ?? linesOf(result.text).filter((line) => line !== 'No files found');
  const total = names && numberOf(numFiles);
  return summarizeFiles({ paths, total, more: truncated === true }, quote);
}

function grepOf({ input, report, result }: EndedCall, quote: Quote): string {
  const more = numberOf(report.appliedLimit) !== undefined;
  const mode = textOf(report.mode) ?? textOf(input.output_mode) ?? 'files_with_matches';
  // Without the lines that claude adds before and after the matches.
  const found = linesOf(result.text).filter((line) => !CLAUDE_LINES.test(line));
  const content = textOf(report.content) ?? found.join('\n');
  const tell = (counts: readonly CountedName[]) => summarizeMatchCounts({ counts, more }, quote);
  if (mode === 'count') return tell(readMatchCounts(content));
  if (mode === 'content') {
    const matches = readMatches(content, stringOf(input.path));
    return matches === undefined ? summarizeText(content, 'first', quote) : tell(matches);
  }
  return summarizeMatchingFiles(namesIn(report.filenames) ?? linesOf(content), more, quote);
}

/** claude reports fewer names. */
const MAX_NAMES = 10_000;

function namesIn(filenames: unknown): readonly string[] | undefined {
  return Array.isArray(filenames) ? textsOf(filenames.slice(0, MAX_NAMES)) : undefined;
}

const CLAUDE_LINES =
  /^(?:No (?:matches|files) found\b|Found \d+ (?:files?|total occurrences?)\b|\[Showing results with pagination\b)/;

function linesOf(text: string): string[] {
  return nearLines(text).filter((line) => line !== '');
}

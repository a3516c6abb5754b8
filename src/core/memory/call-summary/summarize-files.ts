import { type Fields, fieldsOf, listOf, numberOf, stringOf, textOf, textsOf } from '../../protocol/fields.ts';
import { pluralize } from '../../text/words.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import { bytesOf, countLines, NAME_LENGTH, PATH_LENGTH, type Quote, sizeText } from './text-result.ts';

/** `Read src/a.ts (500 lines, 14.6KB)`. */
export function summarizeRead({ input, report, result }: EndedCall, quote: Quote, placeOf: DisplayPath): string {
  const file = fieldsOf(report.file);
  const path = textOf(input.file_path) ?? textOf(file.filePath);
  // claude truncates a file at its own limit.
  const mark = file.truncatedByTokenCap === true ? ' [truncated]' : '';
  return `Read ${quote(path === undefined ? 'unknown' : placeOf(path), PATH_LENGTH)} (${readExtent(report.type, file, result.text)})${mark}`;
}

/** The path as the notes name it. */
export type DisplayPath = (path: string) => string;

function readExtent(type: unknown, file: Fields, text: string): string {
  if (type === 'file_unchanged') return 'unchanged since it was read before';
  if (type === 'notebook') return `${pluralize(listOf(file.cells).length, 'cell')}, ${sizeText(bytesOf(text))}`;
  if (textOf(file.base64) !== undefined) return `binary, ${sizeText(numberOf(file.originalSize))}`;
  const content = textOf(file.content) ?? withoutNumbers(text);
  const size = sizeText(bytesOf(content));
  const { numLines, startLine, totalLines } = file;
  const lines = numberOf(numLines) ?? countLines(content);
  const total = numberOf(totalLines) ?? lines;
  const from = numberOf(startLine) ?? 1;
  if (lines >= total) return `${lines} lines, ${size}`;
  return lines === 0 ? `none of ${total} lines` : `lines ${from}-${from + lines - 1} of ${total}, ${size}`;
}

/** The line format that the model reads: `12→text` or `12⇥text`, with padded numbers. */
const NUMBERED = /^ {0,9}\d{1,9}(?:→|\t)/gm;

function withoutNumbers(text: string): string {
  const from = text.search(NUMBERED);
  if (from < 0) return text;
  const end = text.indexOf('\n\n<system-reminder>', from);
  return text.slice(from, end < 0 ? text.length : end).replace(NUMBERED, '');
}

/** `Edit src/a.ts (+3/-1 lines)`, `Write src/b.ts (created, 120 lines, 3.2KB)`. */
export function summarizeEdit(ended: EndedCall, quote: Quote, placeOf: DisplayPath): string {
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

import { type Fields, fieldsOf, textOf, textsOf } from '../../stream/fields.ts';
import type { EndedCall } from '../extract/tool-calls.ts';
import { counted } from '../words.ts';
import { countLines } from './near-lines.ts';
import { NAME, PATH, type Quote } from './quote.ts';
import { bytesOf, sizeText } from './size-text.ts';

/** Lines that an edit has added and removed. */
interface Change {
  readonly added: number;
  readonly removed: number;
}

/** `Edit src/a.ts (+3/-1 lines)`, `Write src/b.ts (created, 120 lines, 3.2KB)`. */
export function tellEdit({ call, report }: EndedCall, placeOf: (path: string) => string, quote: Quote): string {
  const { name } = call.use;
  const input = fieldsOf(call.use.input);
  const path = textOf(input.file_path) ?? textOf(input.notebook_path) ?? '';
  const how = name === 'Write' ? extentOf(input, fieldsOf(report)) : editOf(name, input, fieldsOf(report), quote);
  return `${name} ${quote(path === '' ? 'unknown' : placeOf(path), PATH)} (${how})`;
}

function extentOf(input: Fields, report: Fields): string {
  const content = textOf(input.content) ?? '';
  const patch = patchOf(report);
  if (report.type !== 'create' && patch !== undefined) return `overwritten, ${changeText(patch)}`;
  const how = report.type === 'update' ? 'overwritten' : report.type === 'create' ? 'created' : 'written';
  return `${how}, ${counted(countLines(content), 'line')}, ${sizeText(bytesOf(content))}`;
}

function editOf(name: string, input: Fields, report: Fields, quote: Quote): string {
  if (name === 'NotebookEdit') {
    const cell = textOf(input.cell_id);
    const mode = input.edit_mode === 'insert' || input.edit_mode === 'delete' ? input.edit_mode : 'replace';
    const lines = countLines(textOf(input.new_source) ?? '');
    return `${mode}${cell === undefined ? '' : ` cell ${quote(cell, NAME)}`}, +${lines} lines`;
  }
  const edits = Array.isArray(input.edits) ? input.edits.map(fieldsOf) : [input];
  const change = patchOf(report) ?? swapped(edits);
  return `${name === 'MultiEdit' ? `${counted(edits.length, 'edit')}, ` : ''}${changeText(change)}`;
}

function changeText({ added, removed }: Change): string {
  return `+${added}/-${removed} lines`;
}

/** Undefined where the tool reports no patch, as of a new file. */
function patchOf({ structuredPatch }: Fields): Change | undefined {
  if (!Array.isArray(structuredPatch) || structuredPatch.length === 0) return undefined;
  const lines = structuredPatch.flatMap((hunk) => textsOf(fieldsOf(hunk).lines));
  const marked = (mark: string) => lines.reduce((count, line) => count + (line.startsWith(mark) ? 1 : 0), 0);
  return { added: marked('+'), removed: marked('-') };
}

function swapped(edits: readonly Fields[]): Change {
  const sum = (key: string) => edits.reduce((all, edit) => all + countLines(textOf(edit[key]) ?? ''), 0);
  return { added: sum('new_string'), removed: sum('old_string') };
}

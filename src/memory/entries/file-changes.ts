import type { Fields } from '../../stream/fields.ts';
import { fieldsOf, textOf } from '../../stream/fields.ts';
import type { FileChange, Swap } from '../entry.ts';
import { exactFingerprint } from './fingerprint.ts';
import { isIncidental } from './incidental-edit.ts';

/** What a file tool that succeeded has changed. */
export interface FileWork {
  readonly changes: readonly FileChange[];
  readonly swaps: readonly Swap[];
}

const NONE: FileWork = { changes: [], swaps: [] };

/** Tools that write files, with the name of the input that holds the path. */
const FILE_TOOLS: Readonly<Record<string, string>> = {
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  NotebookEdit: 'notebook_path',
};

export function fileWork(name: string, input: unknown, text: string, report: unknown): FileWork {
  const key = Object.hasOwn(FILE_TOOLS, name) ? FILE_TOOLS[name] : undefined;
  if (key === undefined) return NONE;
  const fields = fieldsOf(input);
  const path = textOf(fields[key]);
  if (path === undefined || path === '') return NONE;
  const change = name === 'Write' && isNew(text, fieldsOf(report)) ? 'created' : 'edited';
  return { changes: [{ path, change }], swaps: readSwaps(path, fields) };
}

function isNew(text: string, report: Fields): boolean {
  return typeof report.type === 'string' ? report.type === 'create' : text.startsWith('File created');
}

function readSwaps(path: string, fields: Fields): Swap[] {
  const edits = Array.isArray(fields.edits) ? fields.edits.map(fieldsOf) : [fields];
  return edits.flatMap((edit) => {
    const before = textOf(edit.old_string);
    const after = textOf(edit.new_string);
    if (before === undefined || after === undefined || isIncidental(before, after)) return [];
    return [{ path, before: exactFingerprint(before), after: exactFingerprint(after) }];
  });
}

import { type Fields, fieldsOf, stringOf, textOf } from '../../protocol/fields.ts';
import type { FileChange, Swap } from '../entry.ts';

const WRITE_TOOLS = /^(?:Write|(?:Multi|Notebook)?Edit)$/;

/** The files that a call has changed, and its edits with their full texts. */
export function fileWork(name: string, input: Fields, text: string, report: Fields) {
  const path = stringOf(name === 'NotebookEdit' ? input.notebook_path : input.file_path);
  if (!WRITE_TOOLS.test(name) || path === '') return { changes: [], swaps: [] };
  const change: FileChange['change'] = name === 'Write' && isNew(text, report) ? 'created' : 'edited';
  return { changes: [{ path, change }], swaps: readSwaps(path, input) };
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
    return [{ path, before, after }];
  });
}

/** Imports in common languages (Go lists quoted paths), comments, brackets, and empty lines. */
const INSIGNIFICANT_LINES =
  /^(?:import\b|from\s+\S+\s+import\b|export\s.*\bfrom\b|(?:pub\s+)?use\s+[\w:{]|using\s+[\w.]+;|#\s*include\b|require\b|(?:const|let|var)\s+.*\brequire\(|(?:[\w.]+\s+)?"[\w./@-]+"(?:\s*\/\/.*)?$|\}\s*from\s+['"]|\/\/|\/\*|\*|#|<!--|--\s|[()[\]{},;]*$)/;

/** Whether an edit only adds or removes imports, comments or white space: undoing it does not reveal a failed approach. */
function isIncidental(before: string, after: string): boolean {
  const [old, young] = [new Set(linesOf(before)), new Set(linesOf(after))];
  return [...old, ...young].every((line) => (old.has(line) && young.has(line)) || INSIGNIFICANT_LINES.test(line));
}

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.trim());
}

import { type Fields, fieldsOf, stringOf, textOf } from '../../protocol/fields.ts';
import type { FileChange, Swap } from '../entry.ts';

interface FileWork {
  readonly changes: readonly FileChange[];
  /** With the full texts instead of fingerprints. */
  readonly swaps: readonly Swap[];
}

const NONE: FileWork = { changes: [], swaps: [] };

const WRITES = /^(?:Write|(?:Multi|Notebook)?Edit)$/;

export function fileWork(name: string, input: unknown, text: string, report: unknown): FileWork {
  const fields = fieldsOf(input);
  const path = stringOf(name === 'NotebookEdit' ? fields.notebook_path : fields.file_path);
  if (!WRITES.test(name) || path === '') return NONE;
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
    return [{ path, before, after }];
  });
}

/** Longer edits never count as incidental. */
const MAX_LENGTH = 4_000;

/** An import in the syntax of common languages; Go lists quoted paths. */
const IMPORT =
  /^(?:import\b|from\s+\S+\s+import\b|export\s.*\bfrom\b|(?:pub\s+)?use\s+[\w:{]|using\s+[\w.]+;|#\s*include\b|require\b|(?:const|let|var)\s+.*\brequire\(|(?:[\w.]+\s+)?"[\w./@-]+"(?:\s*\/\/.*)?$|\}\s*from\s+['"])/;

/** Comments, brackets and empty lines. */
const SILENT = /^(?:\/\/.*|\/\*.*|\*.*|#(?!include).*|<!--.*|--\s.*|[()[\]{},;]*)$/;

/** Debug output and markers of temporary code. */
const PROBE =
  /\bDEBUG\b|\bdebugger\b|\bTEMP(?:ORARY)?\b|\bEXPERIMENT\b|\bXXX\b|[Rr]emove (?:after|before|when|me|this)|\b(?:temporarily|debug logging)\b|console\.\w+\(|\bf?print(?:ln|f)?!?\(|\bdbg!|\beprint|\bFprint(?:ln|f)?\(os\.Std|\bfmt\.Print|\bt\.Logf?\(|\blog\.(?:Print|print)|\bSystem\.(?:out|err)\.|\bvar_dump\(|\bbinding\.pry|\bbreakpoint\(\)|\bset_trace\(|\bputs\s/;

/**
 * Whether an edit only adds or removes imports, comments, white space or debug output, so that undoing it does not
 * reveal a failed approach. Symmetric in its arguments.
 */
export function isIncidental(before: string, after: string): boolean {
  if (before.length + after.length > MAX_LENGTH) return false;
  const lines = different(before, after);
  if (lines.length === 0) return before.replace(/\s+/g, '') === after.replace(/\s+/g, '');
  return lines.every((line) => SILENT.test(line) || IMPORT.test(line)) || lines.some((line) => PROBE.test(line));
}

/** Trimmed lines that occur in only one of the two texts. */
function different(before: string, after: string): string[] {
  const [old, young] = [linesOf(before), linesOf(after)];
  return [...old.filter((line) => !young.includes(line)), ...young.filter((line) => !old.includes(line))];
}

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.trim());
}

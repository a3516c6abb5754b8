import { type Fields, stringOf } from '../../protocol/fields.ts';
import type { FileChange } from '../entry.ts';

const WRITE_TOOLS = /^(?:Write|(?:Multi|Notebook)?Edit)$/;

/** The change that a successful call made to a file; undefined if it changed none for certain. */
export function changeOf(name: string, input: Fields, text: string, report: Fields): FileChange | undefined {
  const path = stringOf(name === 'NotebookEdit' ? input.notebook_path : input.file_path);
  if (!WRITE_TOOLS.test(name) || path === '') return undefined;
  return { path, change: name === 'Write' && isNew(text, report) ? 'created' : 'edited' };
}

function isNew(text: string, report: Fields): boolean {
  return typeof report.type === 'string' ? report.type === 'create' : text.startsWith('File created');
}

import { CtxbError } from '../../errors.ts';
import { promptFile } from './prompt-file.ts';
import { readText } from './read-text.ts';

/**
 * The text of a file with a prompt; it may have changed since its flow was checked.
 *
 * @param folder the flow's
 * @param file as the flow has it
 * @throws CtxbError `unreadable-input`
 */
export function readPrompt(folder: string, file: string): string {
  const asked = promptFile(folder, file);
  const read = 'path' in asked ? readText(asked.path) : { expected: 'a file with text', found: asked.fault };
  if ('text' in read) return read.text;
  throw new CtxbError(
    'unreadable-input',
    `promptFile ${JSON.stringify(file)}: expected ${read.expected}, found: ${read.found}; correct the flow`,
  );
}

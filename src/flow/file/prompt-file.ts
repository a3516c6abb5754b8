import { resolve } from 'node:path';
import { shown } from '../../config/finding.ts';
import { isRecord } from '../../config/read-config.ts';
import { expectation } from '../../config/schema.ts';
import { CtxbError } from '../../errors.ts';
import type { Fault } from './fault.ts';
import { fileInside, isInside, MAX_FILE_BYTES, readText } from './files.ts';
import { promptPath } from './flow-schema.ts';

/**
 * A file with a prompt in the folder of a flow or below it. Links are followed and judged by where they lead: a flow
 * from somewhere else must not be able to hand over whatever is on this machine. Ask again right before reading.
 *
 * @param file as the flow has it, relative to `folder`
 */
export function promptFile(folder: string, file: string): { readonly path: string } | { readonly fault: string } {
  if (!isInside(resolve(folder), resolve(folder, file))) return { fault: 'a place outside' };
  const found = fileInside(folder, file);
  if ('fault' in found) return found;
  const { path, stats } = found;
  if (stats.size === 0) return { fault: 'an empty file' };
  return stats.size > MAX_FILE_BYTES ? { fault: `a file of ${stats.size} bytes` } : { path };
}

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

/** Files with prompts that cannot be used, of unchecked steps; looks at the disk. */
export function checkPromptFiles(steps: readonly unknown[], folder: string): Fault[] {
  return steps.flatMap((step, index) => {
    const file = isRecord(step) ? step.promptFile : undefined;
    if (typeof file !== 'string' || expectation(promptPath, file) !== undefined) return [];
    const asked = promptFile(folder, file);
    return 'path' in asked ? [] : [faultAt(index, file, asked.fault)];
  });
}

function faultAt(index: number, file: string, fault: string): Fault {
  return {
    path: ['steps', index, 'promptFile'],
    expected: `a file with text in the flow's folder or below, at most ${MAX_FILE_BYTES} bytes`,
    found: `${shown(file)}: ${fault}`,
    todo: fault === 'no such file' ? 'create it or correct the path' : 'name another file or write the text as prompt',
  };
}

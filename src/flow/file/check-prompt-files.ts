import { shown } from '../../config/finding.ts';
import { isRecord } from '../../config/read-config.ts';
import { expectation } from '../../config/schema.ts';
import type { Fault } from './fault.ts';
import { promptPath } from './flow-schema.ts';
import { promptFile } from './prompt-file.ts';
import { MAX_FILE_BYTES } from './read-text.ts';

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

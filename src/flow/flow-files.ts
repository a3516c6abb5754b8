import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { BriefingWorld, StepOutput } from './briefing.ts';
import { readPrompt } from './file/read-prompt.ts';

/** What briefings are made of, as it lies on the disk. */
export interface FlowFiles {
  /** Of the flow; absolute. */
  readonly file: string;
  /** The working folder. */
  readonly cwd: string;
  /** undefined: nothing has run. */
  readonly run: { readonly outputOf: (stepId: string) => StepOutput | undefined } | undefined;
  /** Tokens of the model's context window, where it is known. */
  readonly window: number | undefined;
}

/** The world of briefings on the disk; what was read of a step is kept. */
export function briefingWorld({ file, cwd, run, window }: FlowFiles): BriefingWorld {
  const outputs = new Map<string, StepOutput | undefined>();
  return {
    outputs(id) {
      if (!outputs.has(id)) outputs.set(id, run?.outputOf(id));
      return outputs.get(id);
    },
    exists: (path) => existsSync(resolve(cwd, path)),
    readPrompt: (prompt) => readPrompt(dirname(file), prompt),
    window,
  };
}

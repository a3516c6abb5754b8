import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { FlowGlobals } from '../config/flow-settings.ts';
import { readPlain } from '../store/files/plain-file.ts';
import type { BriefingWorld } from './briefing.ts';
import { fileInside, readPrompt } from './file/flow-files.ts';
import type { StepOutput } from './flow.ts';

/** Where the parts of briefings lie. */
export interface FlowFiles {
  /** The flow's; absolute. */
  readonly file: string;
  /** The working folder. */
  readonly cwd: string;
  /** undefined: nothing has run. */
  readonly run: { readonly outputOf: (stepId: string) => StepOutput | undefined } | undefined;
  /** Tokens of the model's context window, where it is known. */
  readonly window: number | undefined;
  readonly global: FlowGlobals;
}

/** Reads the parts of briefings from the disk; the output of a step is read once. */
export function briefingWorld({ file, cwd, run, window, global }: FlowFiles): BriefingWorld {
  const outputs = new Map<string, StepOutput | undefined>();
  return {
    outputs(id) {
      if (!outputs.has(id)) outputs.set(id, run?.outputOf(id));
      return outputs.get(id);
    },
    exists: (path) => existsSync(resolve(cwd, path)),
    readHints: (path) => readHints(cwd, path),
    readPrompt: (prompt) => readPrompt(dirname(file), prompt),
    window,
    global,
  };
}

/** More than a briefing shows of them. */
const HINTS_LIMIT = 64 * 1024;

/** undefined where the file does not exist, or lies outside the working folder. */
function readHints(cwd: string, path: string): string | undefined {
  const found = fileInside(cwd, path);
  return 'path' in found ? readPlain(found.path, HINTS_LIMIT) : undefined;
}

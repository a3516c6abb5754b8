import type { FlowRunFiles } from '../store/flow-run.ts';
import { parseFields, textOf } from '../stream/fields.ts';
import type { StepOutput } from './briefing.ts';

/** What became of a step, and what it has said. */
export const STEP_FILE = 'step.json';
export const OUTPUT_FILE = 'output.md';

/** What a step of a run has said; undefined: it has not ended by itself. */
export function stepOutput(files: Pick<FlowRunFiles, 'read' | 'path'>, id: string): StepOutput | undefined {
  const { status, error } = parseFields(files.read(id, STEP_FILE) ?? '');
  if (status !== 'done' && status !== 'failed') return undefined;
  const output = files.read(id, OUTPUT_FILE) ?? '';
  return { ok: status === 'done', output, error: textOf(error), path: files.path(id, OUTPUT_FILE) };
}

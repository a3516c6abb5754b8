import type { FlowRunFiles } from '../store/flow-run.ts';
import { parseFields, textOf } from '../stream/fields.ts';
import type { StepOutput } from './briefing.ts';

/** The file with what a step has said. */
export const OUTPUT_FILE = 'output.md';

/** What a step of a run has said; undefined: it has not ended. */
export function stepOutput(files: Pick<FlowRunFiles, 'read' | 'pathOf'>, id: string): StepOutput | undefined {
  const { status, error } = parseFields(files.read(id, 'step.json') ?? '');
  if (status !== 'done' && status !== 'failed') return undefined;
  const output = files.read(id, OUTPUT_FILE) ?? '';
  return { ok: status === 'done', output, error: textOf(error), path: files.pathOf(id, OUTPUT_FILE) };
}

import { readdirSync } from 'node:fs';
import * as v from 'valibot';
import { parsed, parseFields, textOf } from '../core/protocol/fields.ts';
import { CtxbError } from '../errors.ts';
import { kindOf } from '../store/files/plain-file.ts';
import { orStoreError } from '../store/files/store-error.ts';
import { type FlowRunFiles, listFlowRuns, openFlowRun } from '../store/runs/flow-run.ts';
import type { StepOutput } from './flow.ts';
import { TIERS } from './pack/priority.ts';

/** A run of a flow, stored on disk. */
export type EarlierRun = NonNullable<ReturnType<typeof openRun>>;

/** The runs in a context folder, newest first. Their files are read on demand. */
export function earlierRuns(contextDir: string): EarlierRun[] {
  return listFlowRuns(contextDir).flatMap((id) => openRun(contextDir, id) ?? []);
}

function openRun(contextDir: string, id: string) {
  // Opened read-only, so write errors cannot occur.
  const files = openFlowRun(contextDir, id);
  const { folder, read } = files;
  if (kindOf(folder) !== 'folder') return undefined;
  const receiptOf = (stepId: string) => readReceipt(read(stepId, RECEIPT_FILE) ?? '');
  const outputs = new Map<string, StepOutput | undefined>();
  function* receipts() {
    const entries = orStoreError(folder, () => readdirSync(folder, { withFileTypes: true }));
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    for (const stepId of folders.sort()) yield* [receiptOf(stepId) ?? []].flat();
  }
  return {
    id,
    receiptOf,
    /** Name of the run's flow; undefined without receipts. */
    flow: () => receipts().next().value?.flow,
    /** The receipts of all steps, each after the steps that it sees: a step sees more steps than any of those. */
    receipts: () => [...receipts()].sort((a, b) => a.items.length - b.items.length),
    /** The output of a step, which is read once. */
    outputOf(stepId: string): StepOutput | undefined {
      if (!outputs.has(stepId)) outputs.set(stepId, stepOutput(files, stepId));
      return outputs.get(stepId);
    },
  };
}

/**
 * Finds a run by its id or a unique prefix.
 *
 * @throws CtxbError `usage` if no run matches, or several do
 */
export function findRun<R extends { readonly id: string }>(runs: readonly R[], name: string): R {
  const found = runs.filter(({ id }) => id.startsWith(name));
  const [run] = found.filter(({ id }) => id === name || found.length === 1);
  if (run !== undefined) return run;
  const ids = (found.length === 0 ? runs : found).slice(0, 5).map(({ id }) => id);
  const known = ids.length === 0 ? 'there are no runs yet' : `there are ${ids.join(', ')}`;
  throw new CtxbError(
    'usage',
    `${name}: ${found.length === 0 ? 'no run starts' : 'several runs start'} with this; ${known}`,
  );
}

/** STEP_FILE holds the state of a step and why it failed, OUTPUT_FILE its last answer. */
export const STEP_FILE = 'step.json';
export const OUTPUT_FILE = 'output.md';
export const RECEIPT_FILE = 'receipt.json';

/** The output of a step; undefined if the step is neither done nor failed. */
export function stepOutput(files: Pick<FlowRunFiles, 'read' | 'path'>, id: string): StepOutput | undefined {
  const { status, error } = parseFields(files.read(id, STEP_FILE) ?? '');
  if (status !== 'done' && status !== 'failed') return undefined;
  const output = files.read(id, OUTPUT_FILE) ?? '';
  return { ok: status === 'done', output, error: textOf(error), path: files.path(id, OUTPUT_FILE) };
}

const names = v.array(v.string());
const size = v.pipe(v.number(), v.minValue(0));

/** The fields of a step's receipt that ctxb reads back. The file may be incomplete or of another version. */
const receiptSchema = v.object({
  version: v.literal(1),
  flow: v.string(),
  run: v.string(),
  step: v.string(),
  context_truncation: v.object({ chars_used: size, budget_chars: size, truncated: v.boolean() }),
  over_budget_chars: size,
  items: v.array(
    v.object({
      step: v.string(),
      tier: v.picklist(TIERS),
      outcome: v.picklist(['included', 'summary', 'cut', 'omitted']),
      chars: size,
      shown_chars: size,
      reason: v.string(),
    }),
  ),
  warnings: names,
  curator: v.optional(v.object({ steps: names, files: names })),
  curation: v.optional(
    v.object({
      cost_usd: v.number(),
      duration_ms: v.number(),
      fault: v.nullable(v.string()),
      // Steps whose outputs the curator summarized.
      summed_up: v.optional(names, []),
    }),
  ),
  measured: v.optional(
    v.object({
      exit_code: v.number(),
      // Why the step failed.
      error: v.optional(v.string()),
      // Figures of the main thread; the first call contains system prompt, tools and the briefing.
      first_tokens: size,
      peak_tokens: size,
      calls: size,
      cost_usd: v.number(),
      duration_ms: size,
    }),
  ),
});

export type KnownReceipt = v.InferOutput<typeof receiptSchema>;

/** Returns undefined if the JSON is not a receipt of this version. */
export function readReceipt(json: string): KnownReceipt | undefined {
  const { success, output } = v.safeParse(receiptSchema, parsed(json));
  return success ? output : undefined;
}

import { join } from 'node:path';
import * as v from 'valibot';
import { EMPTY_COST, readCost, totalMicroUsd, toUsd } from '../core/governor/cost/cost.ts';
import type { Prices } from '../core/governor/cost/prices.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import { parseFields, parseJson, textOf } from '../core/protocol/fields.ts';
import { sumOf } from '../core/text/sum-of.ts';
import { CtxbError } from '../errors.ts';
import { kindOf, matchingNames } from '../store/files/plain-file.ts';
import { readLines } from '../store/files/read-lines.ts';
import { type FlowRunFiles, listFlowRuns, openFlowRun } from '../store/runs/flow-run.ts';
import type { StepOutput } from './flow.ts';

export type EarlierRun = ReturnType<typeof openRun>;

export interface FlowRuns {
  readonly contextDir: string;
  /** For attempts without a report of their cost. */
  readonly prices: Prices;
}

/** The runs of one flow, or of all flows, newest first. */
export function earlierRuns(runs: FlowRuns, flow?: string): EarlierRun[] {
  return listFlowRuns(runs.contextDir, flow)
    .map((id) => openRun(runs, id))
    .filter(({ folder }) => kindOf(folder) === 'folder');
}

function openRun({ contextDir, prices }: FlowRuns, id: string) {
  // Opened read-only, so write errors cannot occur.
  const files = openFlowRun(contextDir, id);
  const { folder, read } = files;
  const outputs = new Map<string, StepOutput | undefined>();
  return {
    id,
    folder,
    /** The receipts of all steps, each after the receipts of the steps that it sees. */
    receipts(): KnownReceipt[] {
      const steps = matchingNames(folder).filter((name) => kindOf(join(folder, name)) === 'folder');
      const receipts = steps.sort().flatMap((step) => readReceipt(read(step, RECEIPT_FILE)) ?? []);
      return receipts.sort((a, b) => a.items.length - b.items.length);
    },
    /** Cost of a step's killed and repeated attempts, with their curators, in US dollars. */
    otherAttemptsUsd({ step, measured, other_curators_usd }: KnownReceipt): number {
      const streams = files.streamsOf(step);
      const others = measured === undefined ? streams : streams.slice(0, -1);
      return other_curators_usd + sumOf(others, (stream) => usdIn(stream, prices));
    },
    outputOf(stepId: string): StepOutput | undefined {
      if (!outputs.has(stepId)) outputs.set(stepId, stepOutput(files, stepId));
      return outputs.get(stepId);
    },
  };
}

function usdIn(stream: string, prices: Prices): number {
  let cost = EMPTY_COST;
  let sessionId: string | undefined;
  let version: string | undefined;
  for (const line of readLines(stream)) {
    const event = decodeLine(line);
    cost = readCost(cost, event, { prices, version, sessionId, isRecording: true });
    if (event.kind === 'init') ({ sessionId, version = version } = event);
  }
  return toUsd(totalMicroUsd(cost));
}

/** Finds a run. @param name an id or a unique prefix. @throws CtxbError `usage` if no run matches, or several do */
export function findRun<R extends { readonly id: string }>(runs: readonly R[], name: string): R {
  const found = runs.filter(({ id }) => id.startsWith(name));
  const run = found.length === 1 ? found[0] : found.find(({ id }) => id === name);
  if (run !== undefined) return run;
  const [fault, known] = found.length === 0 ? ['no run starts', runs] : ['several runs start', found];
  const ids = known.slice(0, 5).map(({ id }) => id);
  throw new CtxbError('usage', `${name}: ${fault} with this; there are ${ids.join(', ') || 'no runs yet'}`);
}

/** STEP_FILE has the state of a step and the cause of a failure, OUTPUT_FILE its last answer. */
export const STEP_FILE = 'step.json';
export const OUTPUT_FILE = 'output.md';
export const RECEIPT_FILE = 'receipt.json';

/** The output of a step; undefined unless the step is done or failed. */
export function stepOutput(files: Pick<FlowRunFiles, 'read' | 'path'>, id: string): StepOutput | undefined {
  const { status, error } = parseFields(files.read(id, STEP_FILE));
  if (status !== 'done' && status !== 'failed') return undefined;
  const output = files.read(id, OUTPUT_FILE);
  return { ok: status === 'done', output, error: textOf(error), path: files.path(id, OUTPUT_FILE) };
}

const size = v.pipe(v.number(), v.minValue(0));

/** The fields of a step's receipt that ctxb reads back. The file may be incomplete or of another version. */
const receiptSchema = v.object({
  version: v.literal(1),
  flow: v.string(),
  step: v.string(),
  context_truncation: v.object({ chars_used: size, budget_chars: size, truncated: v.boolean() }),
  items: v.array(v.object({ outcome: v.picklist(['included', 'summary', 'cut', 'omitted']) })),
  // Cost of the curators of earlier attempts, in US dollars.
  other_curators_usd: v.optional(size, 0),
  curation: v.optional(
    v.object({ cost_usd: size, duration_ms: size, fault: v.nullable(v.string()), summed_up: v.array(v.string()) }),
  ),
  measured: v.optional(
    v.object({
      exit_code: v.number(),
      error: v.optional(v.string()),
      // Figures of the main thread; the first call contains system prompt, tools and the briefing.
      first_tokens: size,
      peak_tokens: size,
      calls: size,
      cost_usd: size,
      duration_ms: size,
    }),
  ),
});

export type KnownReceipt = v.InferOutput<typeof receiptSchema>;

export function readReceipt(json: string): KnownReceipt | undefined {
  const { success, output } = v.safeParse(receiptSchema, parseJson(json));
  return success ? output : undefined;
}

import * as v from 'valibot';
import type { PackReceipt } from './pack/receipt.ts';
import type { BudgetWarning, SourcedBudgets } from './pack/resolve-budgets.ts';

/** What a step was given and what became of it: `.context/receipts/<flow>/<step>.json`. */
export interface StepReceipt extends PackReceipt {
  readonly flow: string;
  readonly run: string;
  /** From 1. */
  readonly attempt: number;
  readonly budgets: SourcedBudgets;
  readonly budget_warnings: readonly BudgetWarning[];
  /** What the choice of a curator has cost, and what was wrong with it; undefined: none was asked. */
  readonly curation:
    | { readonly cost_usd: number; readonly duration_ms: number; readonly fault: string | null }
    | undefined;
  /** undefined: the step has not ended. */
  readonly measured: StepFigures | undefined;
}

/** What claude said of the step; tokens are those of the main thread. */
export interface StepFigures {
  readonly exit_code: number;
  /** Context of the first call: system prompt, tools and the pack. */
  readonly first_tokens: number;
  readonly peak_tokens: number;
  readonly calls: number;
  readonly cost_usd: number;
  readonly duration_ms: number;
  readonly session_id: string | null;
}

const names = v.array(v.string());

/** What is read again of a `StepReceipt`; the file has more. */
const receiptSchema = v.object({
  version: v.literal(1),
  flow: v.string(),
  run: v.string(),
  step: v.string(),
  attempt: v.number(),
  context_truncation: v.object({ chars_used: v.number(), budget_chars: v.number(), truncated: v.boolean() }),
  items: v.array(v.object({ step: v.string(), outcome: v.picklist(['included', 'cut', 'omitted']) })),
  curator: v.optional(v.object({ steps: names, files: names, brought_in: names, pushed_out: names })),
  curation: v.optional(v.object({ cost_usd: v.number(), duration_ms: v.number(), fault: v.nullable(v.string()) })),
  measured: v.optional(
    v.object({
      exit_code: v.number(),
      first_tokens: v.number(),
      peak_tokens: v.number(),
      calls: v.number(),
      cost_usd: v.number(),
      duration_ms: v.number(),
    }),
  ),
});

/** A receipt of a step, as far as it is read again. */
export type KnownReceipt = v.InferOutput<typeof receiptSchema>;

/** undefined: it is none, or one of another version. */
export function readReceipt(json: string): KnownReceipt | undefined {
  try {
    const { success, output } = v.safeParse(receiptSchema, JSON.parse(json));
    return success ? output : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

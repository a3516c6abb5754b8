import * as v from 'valibot';
import { parsed } from '../core/protocol/fields.ts';
import type { BudgetWarning, SourcedBudgets } from './pack/budgets.ts';
import type { PackReceipt } from './pack/pack.ts';
import { TIERS } from './pack/priority.ts';

/** Input and outcome of a step, stored in `.context/receipts/<flow>/<step>.json`. */
export interface StepReceipt extends PackReceipt, Pick<KnownReceipt, 'flow' | 'run'> {
  readonly budgets: SourcedBudgets;
  readonly budget_warnings: readonly BudgetWarning[];
  /** Cost and faults of the curator; undefined if no curator was asked. */
  readonly curation: KnownReceipt['curation'];
  /** undefined if the step has not ended. */
  readonly measured: MeasuredStep | undefined;
}

export type MeasuredStep = NonNullable<KnownReceipt['measured']> & { readonly session_id: string | null };

const names = v.array(v.string());
const size = v.pipe(v.number(), v.minValue(0));

/** The fields of a `StepReceipt` that ctxb reads back. The file may be incomplete or of another version. */
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

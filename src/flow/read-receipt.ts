import * as v from 'valibot';

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

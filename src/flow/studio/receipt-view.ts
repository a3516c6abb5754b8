import * as v from 'valibot';
import { parsed } from '../../stream/fields.ts';
import { TIERS } from '../pack/priority.ts';
import type { ReceiptView, TierCounts } from './studio-view.ts';

const size = v.pipe(v.number(), v.minValue(0));

/** As much of a `StepReceipt` as the page shows; a file may be an older version's, or half one. */
const receiptSchema = v.object({
  version: v.literal(1),
  run: v.string(),
  attempt: size,
  context_truncation: v.object({ chars_used: size, budget_chars: size, truncated: v.boolean() }),
  over_budget_chars: size,
  items: v.array(
    v.object({
      step: v.string(),
      tier: v.picklist(TIERS),
      outcome: v.picklist(['included', 'cut', 'omitted']),
      chars: size,
      shown_chars: size,
      reason: v.string(),
    }),
  ),
  warnings: v.array(v.string()),
  measured: v.nullish(
    v.object({
      exit_code: v.number(),
      first_tokens: size,
      peak_tokens: size,
      cost_usd: v.number(),
      duration_ms: size,
    }),
  ),
});

type Receipt = v.InferOutput<typeof receiptSchema>;

/** Reads a receipt's JSON for the page. */
export function receiptView(json: string): ReceiptView | { readonly fault: string } {
  const { success, output } = v.safeParse(receiptSchema, parsed(json));
  return success ? viewOf(output) : { fault: 'its receipt is not one that can be read' };
}

function viewOf({ context_truncation: truncation, measured, ...receipt }: Receipt): ReceiptView {
  return {
    run: receipt.run,
    attempt: receipt.attempt,
    binding: truncation.truncated
      ? 'whole'
      : receipt.items.some(({ outcome }) => outcome === 'cut')
        ? 'steps'
        : 'nothing',
    usedChars: truncation.chars_used,
    budgetChars: truncation.budget_chars,
    overChars: receipt.over_budget_chars,
    tiers: TIERS.map((tier) => countsOf(tier, receipt.items)),
    items: receipt.items.map(({ shown_chars, ...item }) => ({ ...item, shownChars: shown_chars })),
    warnings: receipt.warnings,
    measured: measured
      ? {
          exitCode: measured.exit_code,
          firstTokens: measured.first_tokens,
          peakTokens: measured.peak_tokens,
          costUsd: measured.cost_usd,
          durationMs: measured.duration_ms,
        }
      : undefined,
  };
}

function countsOf(tier: TierCounts['tier'], items: Receipt['items']): TierCounts {
  const ofTier = items.filter((item) => item.tier === tier);
  const count = (outcome: string) => ofTier.filter((item) => item.outcome === outcome).length;
  return { tier, included: count('included'), cut: count('cut'), omitted: count('omitted') };
}

import type { Outcome } from '../pack/receipt.ts';
import type { KnownReceipt } from '../step-receipt.ts';

/** What held something back: the budget of the whole, only the limits of single steps, or nothing did. */
export function bindingOf({ context_truncation, items }: KnownReceipt): 'whole' | 'steps' | 'nothing' {
  if (context_truncation.truncated) return 'whole';
  return items.some(({ outcome }) => outcome === 'cut') ? 'steps' : 'nothing';
}

type Counts = Readonly<Record<Outcome, number>>;

/** How many of the earlier steps are whole, cut and omitted. */
export function outcomeCounts(items: readonly { readonly outcome: Outcome }[]): Counts {
  const counts = { included: 0, cut: 0, omitted: 0 };
  for (const { outcome } of items) counts[outcome]++;
  return counts;
}

type Tier = KnownReceipt['items'][number]['tier'];

/** The same for each tier, the most important first. */
export function tierCounts({ items }: KnownReceipt): Readonly<Record<Tier, Counts>> {
  const countsOf = (tier: Tier) => outcomeCounts(items.filter((item) => item.tier === tier));
  return { CRITICAL: countsOf('CRITICAL'), HIGH: countsOf('HIGH'), MEDIUM: countsOf('MEDIUM'), LOW: countsOf('LOW') };
}

import { grouped } from './characters.ts';
import { outcomeOf, type ReceiptItem } from './receipt.ts';
import type { Candidate, Selection } from './select.ts';

/** What became of every step, oldest first. */
export function receiptItems(
  candidates: readonly Candidate[],
  { blocks }: Selection,
  isCurated: (stepId: string) => boolean,
): ReceiptItem[] {
  return candidates.map((candidate) => {
    const { item, index, tier, by, size } = candidate;
    const shown = blocks.get(index)?.shown;
    const outcome = outcomeOf(shown, size);
    const why = index === candidates.length - 1 ? 'the newest step' : 'fits';
    return {
      step: item.stepId,
      agent: item.agent,
      tier,
      classified_by: by,
      chars: size,
      shown_chars: shown ?? 0,
      outcome,
      reason: outcome === 'included' ? why : outcome === 'cut' ? cutReason(candidate, shown ?? 0) : OMITTED,
      named_by_curator: isCurated(item.stepId),
    };
  });
}

const OMITTED = 'no room after newer and more important steps';

function cutReason({ limit, limitedBy }: Candidate, shown: number): string {
  if (shown < limit) return 'shortened to what was left of contextBudgetChars';
  return `longer than ${limitedBy}, ${grouped(limit)}`;
}

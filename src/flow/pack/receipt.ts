import { groupDigits } from '../../core/text/words.ts';
import { type Candidate, type CuratedChoice, TIERS, type Tier } from './priority.ts';

/** `summary`: a curator's summary replaces the output. */
export type Outcome = 'included' | 'summary' | 'cut' | 'omitted';

export function outcomeCounts(items: readonly { readonly outcome: Outcome }[]) {
  const counts = { included: 0, summary: 0, cut: 0, omitted: 0 };
  for (const { outcome } of items) counts[outcome]++;
  return counts;
}

/** Whether an output is included, cut or omitted. @param shown code points shown; undefined if omitted */
export function outcomeOf(shown: number | undefined, chars: number): Outcome {
  if (shown === undefined) return 'omitted';
  return shown < chars ? 'cut' : 'included';
}

export interface ContextTruncation {
  readonly steps_included: number;
  readonly steps_total: number;
  /** Code points of the whole text, and their limit. */
  readonly chars_used: number;
  readonly budget_chars: number;
  /** Whether the total budget omitted or cut steps. A step cut at its own limit counts only in `steps_cut`. */
  readonly truncated: boolean;
  /** Number of cut steps, for either reason. */
  readonly steps_cut?: number;
  /** Code points that were cut or omitted. */
  readonly chars_left_out?: number;
  readonly priority_distribution?: Readonly<Record<Tier, number>>;
}

/** One line for programs and agents; empty if nothing was truncated. */
export function truncationNote(truncation: ContextTruncation): string {
  const { steps_included, steps_total, chars_used, budget_chars, truncated } = truncation;
  if (!truncated) return '';
  const omitted = steps_total - steps_included;
  const budget = `${groupDigits(chars_used)}/${groupDigits(budget_chars)}`;
  const note = `[CONTEXT_TRUNCATED] Included ${steps_included} of ${steps_total} history steps (${omitted} omitted, budget: ${budget} chars)`;
  const counts = truncation.priority_distribution;
  if (Object.keys(counts ?? {}).length === 0) return note;
  return `${note} [Priority: ${TIERS.map((tier) => `${tier}=${counts?.[tier]}`).join(', ')}]`;
}

/** The longest note about this many steps. It reserves space before the figures are known. */
export function longestNote(steps: number): string {
  const max = Number.MAX_SAFE_INTEGER;
  return truncationNote({
    steps_included: steps,
    steps_total: steps * 2,
    chars_used: max,
    budget_chars: max,
    truncated: true,
    priority_distribution: { CRITICAL: steps, HIGH: steps, MEDIUM: steps, LOW: steps },
  });
}

export type ReceiptItem = Readonly<ReturnType<typeof receiptItem>>;

/**
 * The line of a receipt about a step.
 * @param shown code points shown of the output or its summary; undefined if the step is omitted
 */
export function receiptItem(candidate: Candidate, shown: number | undefined) {
  const { item, tier, by, chars, summary, isNamed } = candidate;
  const outcome = summary !== undefined && shown !== undefined ? 'summary' : outcomeOf(shown, chars);
  return {
    step: item.stepId,
    agent: item.agent,
    tier,
    classified_by: by,
    chars,
    shown_chars: shown ?? 0,
    outcome,
    reason: reasonOf(outcome, candidate, shown),
    named_by_curator: isNamed,
  };
}

function reasonOf(outcome: Outcome, { isNewest, size, limit, limitedBy, summary }: Candidate, shown = 0): string {
  if (outcome === 'included') return isNewest ? 'the newest step' : 'fits';
  if (outcome === 'cut' && shown < limit) return 'shortened to what was left of contextBudgetChars';
  if (outcome === 'cut') return `longer than ${limitedBy}, ${groupDigits(limit)}`;
  if (outcome === 'omitted') return 'no room after newer and more important steps';
  const part = shown < size ? 'the beginning of the summary by' : 'the summary by';
  return `${part} ${summary?.by}, as there is no room for the whole`;
}

export function receiptArtifacts(files: readonly string[], shown: number, curated: CuratedChoice | undefined) {
  const named = new Set(curated?.files);
  return files.map((path, index) => ({
    path,
    outcome: index < shown ? 'included' : 'omitted',
    named_by_curator: named.has(path),
  }));
}

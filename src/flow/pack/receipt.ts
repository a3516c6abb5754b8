import { groupDigits } from '../../core/text/words.ts';
import { type Candidate, type Selection, TIERS, type Tier } from './priority.ts';
import type { Summary } from './step-block.ts';

/** `summary`: a curator's summary replaces the output. */
export type Outcome = 'included' | 'summary' | 'cut' | 'omitted';

/** Number of earlier steps by outcome. */
type OutcomeCounts = Readonly<Record<Outcome, number>>;

export function outcomeCounts(items: readonly { readonly outcome: Outcome }[]): OutcomeCounts {
  const counts = { included: 0, summary: 0, cut: 0, omitted: 0 };
  for (const { outcome } of items) counts[outcome]++;
  return counts;
}

/** @param shown code points shown; undefined if omitted */
export function outcomeOf(shown: number | undefined, chars: number): Outcome {
  if (shown === undefined) return 'omitted';
  return shown < chars ? 'cut' : 'included';
}

/** How the budget limited the history, for the note and the receipt. */
export interface ContextTruncation {
  readonly steps_included: number;
  readonly steps_total: number;
  /** Code points of the whole text, and their limit. */
  readonly chars_used: number;
  readonly budget_chars: number;
  /** Whether the total budget omitted or shortened steps. Steps cut at their own limit count only in `steps_cut`. */
  readonly truncated: boolean;
  readonly priority_aware: boolean;
  /** Included steps that are cut, for either reason. */
  readonly steps_cut?: number;
  /** Code points of output not shown, in cut and omitted steps. */
  readonly chars_left_out?: number;
  /** Included steps by tier. */
  readonly priority_distribution?: Readonly<Record<Tier, number>>;
}

/** One line for programs and agents; empty if nothing was truncated. */
export function truncationNote(truncation: ContextTruncation): string {
  const { steps_included, steps_total, chars_used, budget_chars, truncated, priority_aware } = truncation;
  if (!truncated) return '';
  const omitted = steps_total - steps_included;
  const budget = `${groupDigits(chars_used)}/${groupDigits(budget_chars)}`;
  const note = `[CONTEXT_TRUNCATED] Included ${steps_included} of ${steps_total} history steps (${omitted} omitted, budget: ${budget} chars)`;
  const counts = truncation.priority_distribution;
  if (!priority_aware || counts === undefined || Object.keys(counts).length === 0) return note;
  return `${note} [Priority: ${TIERS.map((tier) => `${tier}=${counts[tier]}`).join(', ')}]`;
}

/** The longest possible note about this many steps, to reserve space before the figures are known. */
export function longestNote(steps: number): string {
  const max = Number.MAX_SAFE_INTEGER;
  return truncationNote({
    steps_included: steps,
    steps_total: steps * 2,
    chars_used: max,
    budget_chars: max,
    truncated: true,
    priority_aware: true,
    priority_distribution: { CRITICAL: steps, HIGH: steps, MEDIUM: steps, LOW: steps },
  });
}

export type ReceiptItem = Readonly<ReturnType<typeof receiptItems>[number]>;

/** The outcome of each step, oldest first. */
export function receiptItems(
  candidates: readonly Candidate[],
  blocks: Selection,
  isCurated: (stepId: string) => boolean,
) {
  return candidates.map((candidate) => {
    const { item, index, tier, by, chars } = candidate;
    const shown = blocks.get(index)?.shown;
    const isSummary = item.summary !== undefined && shown !== undefined;
    const outcome: Outcome = isSummary ? 'summary' : outcomeOf(shown, chars);
    return {
      step: item.stepId,
      agent: item.agent,
      tier,
      classified_by: by,
      // Code points of its output.
      chars,
      shown_chars: shown ?? 0,
      outcome,
      reason: reasonOf(outcome, candidate, { shown, isNewest: index === candidates.length - 1 }),
      named_by_curator: isCurated(item.stepId),
    };
  });
}

function reasonOf(
  outcome: Outcome,
  { size, limit, limitedBy, item }: Candidate,
  { shown = 0, isNewest }: { readonly shown: number | undefined; readonly isNewest: boolean },
): string {
  if (outcome === 'included') return isNewest ? 'the newest step' : 'fits';
  if (outcome === 'cut' && shown < limit) return 'shortened to what was left of contextBudgetChars';
  if (outcome === 'cut') return `longer than ${limitedBy}, ${groupDigits(limit)}`;
  if (outcome === 'omitted') return 'no room after newer and more important steps';
  const part = shown < size ? 'the beginning of the summary by' : 'the summary by';
  return `${part} ${item.summary?.by}, as there is no room for the whole`;
}

/** The curator's choice: step ids and file paths. They rank first; the budget still decides how many fit. */
export interface CuratedChoice {
  readonly steps: readonly string[];
  readonly files: readonly string[];
  /** By step id: the text that replaces the output. */
  readonly summaries?: ReadonlyMap<string, Summary> | undefined;
}

export function receiptArtifacts(files: readonly string[], shown: number, curated: CuratedChoice | undefined) {
  const named = new Set(curated?.files);
  return files.map((path, index) => {
    const outcome: Outcome = index < shown ? 'included' : 'omitted';
    return { path, outcome, named_by_curator: named.has(path) };
  });
}

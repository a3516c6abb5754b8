import { grouped } from './characters.ts';
import { TIERS, type Tier } from './priority.ts';

/** What the budget did to the history, as note and receipt say it. */
export interface ContextTruncation {
  readonly steps_included: number;
  readonly steps_total: number;
  /** Code points of the whole text, and those it may have. */
  readonly chars_used: number;
  readonly budget_chars: number;
  /**
   * The budget of the whole held something back: steps were omitted, or shortened to what was left. A step that was cut
   * at its own limit is no truncation; it is counted in `steps_cut`.
   */
  readonly truncated: boolean;
  readonly priority_aware: boolean;
  /** Included steps of which only the beginning is shown, for either reason. */
  readonly steps_cut?: number;
  /** Code points of output that are not shown, of cut and of omitted steps. */
  readonly chars_left_out?: number;
  /** Included steps by tier. */
  readonly priority_distribution?: Readonly<Record<Tier, number>>;
}

/** One line for programs and agents; empty when nothing was truncated. */
export function truncationNote(truncation: ContextTruncation): string {
  const { steps_included, steps_total, chars_used, budget_chars, truncated, priority_aware } = truncation;
  if (!truncated) return '';
  const omitted = steps_total - steps_included;
  const budget = `${grouped(chars_used)}/${grouped(budget_chars)}`;
  const note = `[CONTEXT_TRUNCATED] Included ${steps_included} of ${steps_total} history steps (${omitted} omitted, budget: ${budget} chars)`;
  const counts = truncation.priority_distribution;
  if (!priority_aware || counts === undefined || Object.keys(counts).length === 0) return note;
  return `${note} [Priority: ${TIERS.map((tier) => `${tier}=${counts[tier]}`).join(', ')}]`;
}

/** No note about so many steps is longer, whatever the figures: room that can be kept before they are known. */
export function longestNote(steps: number): string {
  const most = Number.MAX_SAFE_INTEGER;
  return truncationNote({
    steps_included: steps,
    steps_total: steps * 2,
    chars_used: most,
    budget_chars: most,
    truncated: true,
    priority_aware: true,
    priority_distribution: { CRITICAL: steps, HIGH: steps, MEDIUM: steps, LOW: steps },
  });
}

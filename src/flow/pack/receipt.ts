import type { ClassifiedBy, Tier } from './priority.ts';
import type { ContextTruncation } from './truncation.ts';

/** What a pack holds and what it does not, and why: one line of truth for each. Sizes are code points. */
export interface PackReceipt {
  readonly version: 1;
  readonly step: string;
  readonly context_truncation: ContextTruncation;
  /** As it stands in the text; empty when nothing was truncated. */
  readonly note: string;
  /** Teaching notes and task, which are always whole. */
  readonly whole_chars: number;
  /** By how much the text is longer than its budget, because what is always in does not fit; else 0. */
  readonly over_budget_chars: number;
  /** Every earlier step, oldest first. */
  readonly items: readonly ReceiptItem[];
  readonly artifacts: readonly ReceiptArtifact[];
  /** undefined: none was handed in. */
  readonly scent_trail: (Shown & { readonly chars: number }) | undefined;
  /** undefined: nobody chose. */
  readonly curator: CuratorEffect | undefined;
  readonly warnings: readonly string[];
}

export type Outcome = 'included' | 'cut' | 'omitted';

interface Shown {
  readonly shown_chars: number;
  readonly outcome: Outcome;
}

export interface ReceiptItem extends Shown {
  readonly step: string;
  readonly agent: string | undefined;
  readonly tier: Tier;
  readonly classified_by: ClassifiedBy;
  /** Of its output. */
  readonly chars: number;
  readonly reason: string;
  readonly named_by_curator: boolean;
}

export interface ReceiptArtifact {
  readonly path: string;
  readonly outcome: 'included' | 'omitted';
  readonly named_by_curator: boolean;
}

/** What a curator's choice changed. Steps and files by name. */
export interface CuratorEffect {
  readonly steps: readonly string[];
  readonly files: readonly string[];
  /** Named, but no step of this history. */
  readonly unknown_steps: readonly string[];
  /** In because of the choice, and out because of it. */
  readonly brought_in: readonly string[];
  readonly pushed_out: readonly string[];
}

/** @param shown code points that are shown; undefined: it is not there at all */
export function outcomeOf(shown: number | undefined, chars: number): Outcome {
  if (shown === undefined) return 'omitted';
  return shown < chars ? 'cut' : 'included';
}

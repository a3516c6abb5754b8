import type { Finding } from '../../config/config.ts';
import type { BudgetChanges } from '../../config/flow-settings.ts';
import type { DiffLine } from '../../report/line-diff.ts';
import type { BudgetWarning, SourcedBudgets } from '../pack/budgets.ts';
import { type OutcomeCounts, outcomeCounts } from '../pack/receipt.ts';
import type { KnownReceipt } from '../step-receipt.ts';

/** A key of `budgets` that the studio changes. */
export type BudgetKey = keyof BudgetChanges;

/** Stands for the chosen profile where a step's id may stand; no step is called so. */
export const PROFILE = '*';

/** A budget of a level as it is typed into the form; an empty value clears it. */
export interface Edit {
  /** Id of a step; null: the flow; {@link PROFILE}. */
  readonly step: string | null;
  readonly key: BudgetKey;
  readonly value: string;
}

/** A flow file with edits that are not in it yet, as the page shows it. */
export interface StudioView {
  readonly file: string;
  /** Of the bytes of the file, and of its profile's, without the edits. */
  readonly hash: string;
  /** About the file or, where `flow` is defined, about edits, which are then left out of all else. */
  readonly findings: readonly Finding[];
  /** undefined: the file is not a valid flow. */
  readonly flow: FlowView | undefined;
  readonly diff: readonly DiffLine[];
}

export interface FlowView {
  readonly name: string;
  readonly profile: ProfileView | undefined;
  /** Tokens that presets and shares are for. */
  readonly window: number;
  /** Of all steps that say nothing else. */
  readonly budgets: BudgetsView;
  readonly steps: readonly StepView[];
}

export interface ProfileView {
  readonly name: string;
  /** The file of its own that it stands in, which other flows may share. */
  readonly file: string | undefined;
  /** The path of its keys in findings. */
  readonly key: string;
  readonly budgets: BudgetsView;
  /** What the edits change in its own file. */
  readonly diff: readonly DiffLine[];
}

export interface BudgetsView {
  /** As they stand in the file, with the edits. */
  readonly own: Readonly<Partial<Record<BudgetKey, string>>>;
  /** What is used, after all levels and guardrails. */
  readonly effective: SourcedBudgets;
  /** What would be used if this level were empty. */
  readonly inherited: SourcedBudgets;
  readonly warnings: readonly BudgetWarning[];
}

export interface StepView {
  readonly id: string;
  readonly agent: string | undefined;
  readonly objective: string | undefined;
  /** From 0; steps of one stage need nothing of each other. */
  readonly stage: number;
  /** Its needs, without those that its other needs bring along. */
  readonly after: readonly string[];
  /** How many steps' output it sees. */
  readonly sees: number;
  readonly budgets: BudgetsView;
  /** Of its last run; undefined: the step was never run. */
  readonly receipt: KnownReceipt | { readonly fault: string } | undefined;
}

/** What held something back: the budget of the whole, only the limits of single steps, or nothing did. */
export function bindingOf({ context_truncation, items }: KnownReceipt): 'whole' | 'steps' | 'nothing' {
  if (context_truncation.truncated) return 'whole';
  return items.some(({ outcome }) => outcome === 'cut' || outcome === 'summary') ? 'steps' : 'nothing';
}

type Tier = KnownReceipt['items'][number]['tier'];

/** The same for each tier, the most important first. */
export function tierCounts({ items }: KnownReceipt): Readonly<Record<Tier, OutcomeCounts>> {
  const countsOf = (tier: Tier) => outcomeCounts(items.filter((item) => item.tier === tier));
  return { CRITICAL: countsOf('CRITICAL'), HIGH: countsOf('HIGH'), MEDIUM: countsOf('MEDIUM'), LOW: countsOf('LOW') };
}

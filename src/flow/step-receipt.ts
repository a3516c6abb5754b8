import type { BudgetWarning } from './pack/guardrails.ts';
import type { PackReceipt } from './pack/receipt.ts';
import type { SourcedBudgets } from './pack/resolve-budgets.ts';

/** What a step was given and what became of it: `.context/receipts/<flow>/<step>.json`. */
export interface StepReceipt extends PackReceipt {
  readonly flow: string;
  readonly run: string;
  /** From 1. */
  readonly attempt: number;
  readonly budgets: SourcedBudgets;
  readonly budget_warnings: readonly BudgetWarning[];
  /** What the choice of a curator has cost, and what was wrong with it; undefined: none was asked. */
  readonly curation:
    | { readonly cost_usd: number; readonly duration_ms: number; readonly fault: string | null }
    | undefined;
  /** undefined: the step has not ended. */
  readonly measured: StepFigures | undefined;
}

/** What claude said of the step; tokens are those of the main thread. */
export interface StepFigures {
  readonly exit_code: number;
  /** Context of the first call: system prompt, tools and the pack. */
  readonly first_tokens: number;
  readonly peak_tokens: number;
  readonly calls: number;
  readonly cost_usd: number;
  readonly duration_ms: number;
  readonly session_id: string | null;
}

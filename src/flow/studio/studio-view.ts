import type { BudgetChanges, Finding } from '../../config/config.ts';
import type { DiffLine } from '../../report/line-diff.ts';
import { type BudgetWorld, effectiveBudgets } from '../effective.ts';
import type { Flow, FlowStep } from '../flow.ts';
import { REFERENCE_WINDOW, type ResolvedBudgets } from '../pack/budgets.ts';
import type { KnownReceipt } from '../step-receipt.ts';

/** A key of `budgets` that the studio can change. */
export type BudgetKey = keyof BudgetChanges;

/** A budget of a level as typed into the form; an empty value removes it. */
export interface Edit {
  /** Id of a step; null for the flow. */
  readonly step: string | null;
  readonly key: BudgetKey;
  readonly value: string;
}

/** A flow file with unsaved edits, as shown on the page. */
export interface StudioView {
  readonly file: string;
  /** Hash of the saved file. */
  readonly hash: string;
  /** Findings about the file or, if `flow` is defined, about edits, which `flow` and `diff` then exclude. */
  readonly findings: readonly Finding[];
  /** undefined if the file is not a valid flow. */
  readonly flow: FlowView | undefined;
  readonly diff: readonly DiffLine[];
}

export type FlowView = ReturnType<typeof flowView>;
export type BudgetsView = FlowView['budgets'];
export type StepView = FlowView['steps'][number];

interface ShownFlow extends BudgetWorld {
  /** The budgets of a level in the file, with the edits applied. */
  readonly ownBudgets: (step: Edit['step']) => Readonly<Record<string, unknown>>;
  /** The receipt of a step's last run; undefined if it has never run. */
  readonly receiptOf: (step: string) => KnownReceipt | { readonly fault: string } | undefined;
}

const NOTHING = { budgets: {}, model: undefined };

export function flowView(flow: Flow, { ownBudgets, receiptOf, global, window }: ShownFlow) {
  const budgetsOf = (levels: Flow, step: Pick<FlowStep, 'budgets' | 'model'> = NOTHING) =>
    effectiveBudgets(levels, step, { global, window });
  return {
    name: flow.name,
    profile: flow.profile,
    /** The window in tokens that presets and shares refer to. */
    window: window ?? REFERENCE_WINDOW,
    /** For steps without budgets of their own. */
    budgets: budgetsView(null, budgetsOf(flow)),
    steps: flow.steps.map((step) => ({
      id: step.id,
      agent: step.agent,
      objective: step.objective,
      budgets: budgetsView(step.id, budgetsOf(flow, step)),
      receipt: receiptOf(step.id),
    })),
  };

  function budgetsView(step: Edit['step'], { values, warnings }: ResolvedBudgets) {
    const own = Object.entries(ownBudgets(step)).map(([key, value]) => [key, String(value)]);
    return {
      own: Object.fromEntries(own) as Readonly<Partial<Record<BudgetKey, string>>>,
      /** After all levels and guardrails. */
      effective: values,
      warnings,
    };
  }
}

/** The limit that shortened something: the whole budget, only limits of single steps, or nothing. */
export function bindingOf({ context_truncation, items }: KnownReceipt): 'whole' | 'steps' | 'nothing' {
  if (context_truncation.truncated) return 'whole';
  return items.some(({ outcome }) => outcome === 'cut' || outcome === 'summary') ? 'steps' : 'nothing';
}

/** The budgets of a level. @param step id of a step; null for the flow */
export function levelOf(flow: FlowView | undefined, step: Edit['step']): BudgetsView | undefined {
  return step === null ? flow?.budgets : flow?.steps.find(({ id }) => id === step)?.budgets;
}

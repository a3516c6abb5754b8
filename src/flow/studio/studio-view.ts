import type { BudgetChanges, Finding } from '../../config/config.ts';
import type { DiffLine } from '../../report/line-diff.ts';
import { type BudgetWorld, effectiveBudgets } from '../effective.ts';
import { orderSteps } from '../file/order-steps.ts';
import type { Flow, FlowStep } from '../flow.ts';
import { REFERENCE_WINDOW, type ResolvedBudgets } from '../pack/budgets.ts';
import type { KnownReceipt } from '../step-receipt.ts';

/** A key of `budgets` that the studio changes. */
export type BudgetKey = keyof BudgetChanges;

/** A budget of a level as typed into the form; an empty value clears it. */
export interface Edit {
  /** Id of a step; null: the flow. */
  readonly step: string | null;
  readonly key: BudgetKey;
  readonly value: string;
}

/** A flow file with edits that are not in it yet, as the page shows it. */
export interface StudioView {
  readonly file: string;
  /** Hash of the file's bytes, without the edits. */
  readonly hash: string;
  /** About the file or, where `flow` is defined, about edits, which are then left out of all else. */
  readonly findings: readonly Finding[];
  /** undefined: the file is not a valid flow. */
  readonly flow: FlowView | undefined;
  readonly diff: readonly DiffLine[];
}

export type FlowView = ReturnType<typeof flowView>;
export type BudgetsView = FlowView['budgets'];
export type StepView = FlowView['steps'][number];

interface Shown extends BudgetWorld {
  /** The budgets of a level in the file, with the edits. */
  readonly ownBudgets: (step: Edit['step']) => Readonly<Record<string, unknown>>;
  /** The receipt of a step's last run; undefined: it was never run. */
  readonly receiptOf: (step: string) => KnownReceipt | { readonly fault: string } | undefined;
}

const NOTHING = { budgets: {}, model: undefined };

export function flowView(flow: Flow, { ownBudgets, receiptOf, global, window }: Shown) {
  const budgetsOf = (levels: Flow, step: Pick<FlowStep, 'budgets' | 'model'> = NOTHING) =>
    effectiveBudgets(levels, step, { global, window });
  const order = orderSteps(flow);
  const stages = new Map(order.stages.flatMap((steps, stage) => steps.map(({ id }) => [id, stage] as const)));
  return {
    name: flow.name,
    profile: flow.profile,
    /** The window in tokens for presets and shares. */
    window: window ?? REFERENCE_WINDOW,
    /** For all steps without budgets of their own. */
    budgets: budgetsView(null, budgetsOf(flow)),
    steps: flow.steps.map((step) => ({
      id: step.id,
      agent: step.agent,
      objective: step.objective,
      /** From 0; steps of one stage need nothing of each other. */
      stage: stages.get(step.id) ?? 0,
      after: order.direct.get(step.id) ?? [],
      /** How many steps' output it sees. */
      sees: order.history.get(step.id)?.length ?? 0,
      budgets: budgetsView(step.id, budgetsOf(flow, step)),
      receipt: receiptOf(step.id),
    })),
  };

  function budgetsView(step: Edit['step'], { values, warnings }: ResolvedBudgets) {
    const own = Object.entries(ownBudgets(step)).map(([key, value]) => [key, String(value)]);
    return {
      own: Object.fromEntries(own) as Readonly<Partial<Record<BudgetKey, string>>>,
      /** The effective values, after all levels and guardrails. */
      effective: values,
      warnings,
    };
  }
}

/** The limit that cut something: the budget of the whole, only the limits of single steps, or none. */
export function bindingOf({ context_truncation, items }: KnownReceipt): 'whole' | 'steps' | 'nothing' {
  if (context_truncation.truncated) return 'whole';
  return items.some(({ outcome }) => outcome === 'cut' || outcome === 'summary') ? 'steps' : 'nothing';
}

/** The budgets of a level, as an edit names it. */
export function levelOf(flow: FlowView | undefined, step: Edit['step']): BudgetsView | undefined {
  return step === null ? flow?.budgets : flow?.steps.find(({ id }) => id === step)?.budgets;
}

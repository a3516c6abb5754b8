import type { BudgetChanges } from '../config/flow-settings.ts';
import { windowOfModel } from '../governor/gauge/window.ts';
import type { Flow, FlowStep } from './flow.ts';
import { type BudgetLevels, type ModelFigures, type ResolvedBudgets, resolveBudgets } from './pack/resolve-budgets.ts';

/**
 * The budgets that hold for a step of a checked flow, each with the level that it comes from, and a warning for each that a
 * guardrail changed.
 *
 * @param global what holds for all flows
 * @param model without a window, it is the one that the step's model names
 */
export function effectiveBudgets(
  flow: Pick<Flow, 'profile' | 'profiles' | 'budgets'>,
  step: Pick<FlowStep, 'budgets' | 'model'>,
  { global, model }: { readonly global?: BudgetChanges | undefined; readonly model?: ModelFigures | undefined } = {},
): ResolvedBudgets {
  const levels: BudgetLevels = { global, profile: profileBudgets(flow), flow: flow.budgets, step: step.budgets };
  return resolveBudgets(levels, { ...model, windowTokens: model?.windowTokens ?? windowOfModel(step.model) });
}

function profileBudgets({ profile, profiles }: Pick<Flow, 'profile' | 'profiles'>): BudgetChanges | undefined {
  return profile !== undefined && Object.hasOwn(profiles, profile) ? profiles[profile]?.budgets : undefined;
}

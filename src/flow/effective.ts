import type { FlowGlobals } from '../config/config.ts';
import { windowOfModel } from '../core/governor/gauge/window.ts';
import { ownOf } from '../core/protocol/fields.ts';
import type { Curator, Flow, FlowStep, Profile } from './flow.ts';
import { LEVELS, type Level, type ResolvedBudgets, resolveBudgets } from './pack/budgets.ts';

export interface BudgetWorld {
  readonly global?: Partial<FlowGlobals> | undefined;
  /** Context window in tokens; default: the window of the step's model, or 200,000. */
  readonly window?: number | undefined;
}

function profileOf({ profile, profiles }: Pick<Flow, 'profile' | 'profiles'>): Profile | undefined {
  return ownOf(profiles, profile ?? '');
}

/** The effective budgets of a step of a checked flow, with the source of each value. */
export function effectiveBudgets(
  flow: Pick<Flow, 'profile' | 'profiles' | 'budgets'>,
  step: Pick<FlowStep, 'budgets' | 'model'>,
  { global, window }: BudgetWorld,
): ResolvedBudgets {
  const levels = { global, profile: profileOf(flow)?.budgets, flow: flow.budgets, step: step.budgets };
  return resolveBudgets(levels, window ?? windowOfModel(step.model));
}

/** A cheap model needs about ten seconds; after a minute, the mechanical selection is the better deal. */
const CURATOR: Curator = { enabled: false, model: 'haiku', timeoutSeconds: 60, maxFiles: 20 };

/** The curator of a step of a checked flow, and the level that enables or disables it. */
export function effectiveCurator(
  flow: Pick<Flow, 'profile' | 'profiles' | 'curator'>,
  step: Pick<FlowStep, 'curator'>,
  { global }: BudgetWorld,
): { readonly curator: Curator; readonly source: Level | 'default' } {
  const profile = profileOf(flow)?.curator;
  const levels = { global: global?.curator ? { enabled: true } : {}, profile, flow: flow.curator, step: step.curator };
  return {
    curator: { ...CURATOR, ...levels.global, ...levels.profile, ...levels.flow, ...levels.step },
    source: LEVELS.findLast((level) => levels[level]?.enabled !== undefined) ?? 'default',
  };
}

/** The budget warnings of the given steps, without duplicates. A warning names its steps unless it applies to all. */
export function budgetWarnings(
  flow: Flow,
  steps: readonly FlowStep[],
  worldOf: (step: FlowStep) => BudgetWorld,
): string[] {
  const ids = new Map<string, string[]>();
  for (const step of steps) {
    for (const { message } of effectiveBudgets(flow, step, worldOf(step)).warnings) {
      ids.set(message, [...(ids.get(message) ?? []), step.id]);
    }
  }
  return [...ids].map(([message, of]) => (of.length === steps.length ? message : `${of.join(', ')}: ${message}`));
}

import type { FlowGlobals } from '../config/config.ts';
import { windowOfModel } from '../core/governor/gauge/window.ts';
import type { Curator, Flow, FlowStep, Profile } from './flow.ts';
import { LEVELS, type Level, type ResolvedBudgets, resolveBudgets } from './pack/budgets.ts';

export interface BudgetWorld {
  readonly global?: Partial<FlowGlobals> | undefined;
  /** Tokens of the context window; where it is not known, what the step's model names, or 200,000. */
  readonly window?: number | undefined;
}

function profileOf({ profile, profiles }: Pick<Flow, 'profile' | 'profiles'>): Profile | undefined {
  return profile !== undefined && Object.hasOwn(profiles, profile) ? profiles[profile] : undefined;
}

/** The effective budgets of a step of a checked flow, each with its level. */
export function effectiveBudgets(
  flow: Pick<Flow, 'profile' | 'profiles' | 'budgets'>,
  step: Pick<FlowStep, 'budgets' | 'model'>,
  { global, window }: BudgetWorld,
): ResolvedBudgets {
  const levels = { global, profile: profileOf(flow)?.budgets, flow: flow.budgets, step: step.budgets };
  return resolveBudgets(levels, window ?? windowOfModel(step.model));
}

/** A cheap model reads and lists for some ten seconds; beyond a minute the mechanical selection is the better deal. */
const CURATOR: Curator = { enabled: false, model: 'haiku', timeoutSeconds: 60, maxFiles: 20 };

/** The curator of a step of a checked flow, and the level that switches it on or off. */
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

/** The warnings about budgets of steps: each once, with the steps that it concerns unless it concerns all. */
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

import type { BriefingWorld } from './briefing.ts';
import { effectiveBudgets } from './effective-budgets.ts';
import type { Flow, FlowStep } from './flow.ts';

/** What guardrails change in the budgets of steps: each once, with the steps where it does not hold for all of them. */
export function budgetWarnings(
  flow: Flow,
  steps: readonly FlowStep[],
  worldOf: (step: FlowStep) => Pick<BriefingWorld, 'global' | 'window'>,
): string[] {
  const ids = new Map<string, string[]>();
  for (const step of steps) {
    const { global, window } = worldOf(step);
    const { warnings } = effectiveBudgets(flow, step, { global, model: { windowTokens: window } });
    for (const { message } of warnings) ids.set(message, [...(ids.get(message) ?? []), step.id]);
  }
  return [...ids].map(([message, of]) => (of.length === steps.length ? message : `${of.join(', ')}: ${message}`));
}

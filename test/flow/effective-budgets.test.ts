import { describe, expect, it } from 'vitest';
import type { BudgetChanges } from '../../src/config/flow-settings.ts';
import { effectiveBudgets } from '../../src/flow/briefing.ts';
import { flowOf, flowStep } from '../support/packs.ts';

describe('effective budgets', () => {
  const levels = {
    global: { historyOlderChars: 11_000 },
    profile: { historyRecentChars: 22_000, historyOlderChars: 12_000 },
    flow: { contextBudgetChars: 130_000, historyRecentChars: 23_000 },
    step: { historyRecentChars: 24_000 },
  } satisfies Record<string, BudgetChanges>;
  const { global, profile, flow, step } = levels;

  it.each([
    { title: 'nothing', with: {}, older: { value: 10_000, source: 'default' } },
    { title: 'global', with: { global }, older: { value: 11_000, source: 'global' } },
    { title: 'a profile above it', with: { global, profile }, older: { value: 12_000, source: 'profile' } },
    {
      title: 'a profile that is not chosen',
      with: { profile, chosen: false },
      older: { value: 10_000, source: 'default' },
    },
    { title: 'a flow that does not say it', with: { profile, flow }, older: { value: 12_000, source: 'profile' } },
  ])('$title', ({ with: given, older }) => {
    expect(budgetsOf(given).values.historyOlderChars).toEqual(older);
  });

  it('each value comes from the highest level that has one', () => {
    expect(budgetsOf({ global, profile, flow, step }).values).toEqual({
      contextBudgetChars: { value: 130_000, source: 'flow' },
      historyRecentChars: { value: 24_000, source: 'step' },
      historyOlderChars: { value: 12_000, source: 'profile' },
    });
  });

  it('what a guardrail changes is warned of', () => {
    const { budgets, warnings } = budgetsOf({ step: { contextBudgetChars: 9 } });
    expect(budgets.contextBudgetChars).toBe(10_000);
    expect(warnings.map(({ field, kind, source }) => [field, kind, source])).toEqual([
      ['contextBudgetChars', 'below_min', 'step'],
      ['historyRecentChars', 'above_total', 'default'],
    ]);
  });

  it('a share is one of the window', () => {
    const step = flowStep({ budgets: { contextBudgetTokens: 0.1 } });
    expect(effectiveBudgets(flowOf([step]), step, { window: 1_000_000 }).budgets.contextBudgetChars).toBe(400_000);
  });

  it.each([
    { title: 'the model of the step names it', known: undefined, chars: 600_000 },
    { title: 'it is known', known: 128_000, chars: 128_000 },
  ])('the window is the one that counts where $title', ({ known, chars }) => {
    const step = flowStep({ model: 'claude-sonnet-4-5[1m]' });
    const { budgets } = effectiveBudgets(flowOf([step]), step, { window: known });
    expect(budgets.contextBudgetChars).toBe(chars);
  });

  function budgetsOf(given: { [L in keyof typeof levels]?: BudgetChanges } & { chosen?: boolean }) {
    const profiles = { p: { budgets: given.profile ?? {} } };
    const chosen = given.profile !== undefined && given.chosen !== false ? 'p' : undefined;
    const step = flowStep({ budgets: given.step ?? {} });
    const flow = flowOf([step], { profile: chosen, profiles, budgets: given.flow ?? {} });
    return effectiveBudgets(flow, step, { global: given.global });
  }
});

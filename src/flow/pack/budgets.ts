import type { BudgetChanges, Budgets } from '../../config/flow-settings.ts';

export type Preset = NonNullable<BudgetChanges['preset']>;

export type BudgetField = keyof Budgets;

/** `contextBudgetChars` first: the other two are parts of it. */
export const BUDGET_FIELDS = ['contextBudgetChars', 'historyRecentChars', 'historyOlderChars'] as const;

/** Tokens of the window that the presets are made for. */
export const REFERENCE_WINDOW = 200_000;

/** For a window of 200,000 tokens, of which `balanced`, the default, takes a quarter. */
export const PRESETS: Readonly<Record<Preset, Budgets>> = {
  lean: { contextBudgetChars: 100_000, historyRecentChars: 30_000, historyOlderChars: 5_000 },
  balanced: { contextBudgetChars: 200_000, historyRecentChars: 60_000, historyOlderChars: 10_000 },
  heavy: { contextBudgetChars: 400_000, historyRecentChars: 120_000, historyOlderChars: 20_000 },
};

/** A tenth of `lean`, so that no preset meets a floor of its parts before it meets the one of the whole. */
export const FLOORS: Budgets = { contextBudgetChars: 10_000, historyRecentChars: 3_000, historyOlderChars: 500 };

export const CEILING = 600_000;

/** A preset in proportion to a window in tokens, from the floors up to the ceiling. */
export function presetBudgets(preset: Preset, windowTokens = REFERENCE_WINDOW): Budgets {
  return eachBudget((field) => {
    const chars = Math.trunc((PRESETS[preset][field] * windowTokens) / REFERENCE_WINDOW);
    return Math.min(Math.max(chars, FLOORS[field]), CEILING);
  });
}

export function eachBudget<T>(value: (field: BudgetField) => T): { readonly [K in BudgetField]: T } {
  return {
    contextBudgetChars: value('contextBudgetChars'),
    historyRecentChars: value('historyRecentChars'),
    historyOlderChars: value('historyOlderChars'),
  };
}

import type { BudgetChanges, Budgets } from '../../config/flow-settings.ts';

export type Preset = NonNullable<BudgetChanges['preset']>;

/** A budget that can be set. */
export type BudgetField = keyof Budgets;

/** `contextBudgetChars` first: the other two are parts of it. */
export const BUDGET_FIELDS = ['contextBudgetChars', 'historyRecentChars', 'historyOlderChars'] as const;

/** Tokens of the window that the presets are made for. */
export const REFERENCE_WINDOW = 200_000;

/** Code points that a token is taken for when nothing was measured. */
export const CHARS_PER_TOKEN = 4;

/** For a window of 200,000 tokens, of which `balanced`, the default, takes a quarter. */
export const PRESETS: Readonly<Record<Preset, Budgets>> = {
  lean: { contextBudgetChars: 100_000, historyRecentChars: 30_000, historyOlderChars: 5_000 },
  balanced: { contextBudgetChars: 200_000, historyRecentChars: 60_000, historyOlderChars: 10_000 },
  heavy: { contextBudgetChars: 400_000, historyRecentChars: 120_000, historyOlderChars: 20_000 },
};

/** A tenth of `lean`, so that no preset meets a floor of its parts before it meets the one of the whole. */
export const FLOORS: Budgets = { contextBudgetChars: 10_000, historyRecentChars: 3_000, historyOlderChars: 500 };

export const CEILING = 600_000;

/** The shares of `balanced` in a window. */
const SHARES: Budgets = { contextBudgetChars: 0.25, historyRecentChars: 0.075, historyOlderChars: 0.0125 };

/** A preset in proportion to a window in tokens, from the floors up to the ceiling. */
export function presetBudgets(preset: Preset, windowTokens = REFERENCE_WINDOW): Budgets {
  const size = (field: BudgetField) => {
    const chars = Math.trunc((PRESETS[preset][field] * windowTokens) / REFERENCE_WINDOW);
    return Math.min(Math.max(chars, FLOORS[field]), CEILING);
  };
  return eachBudget(size);
}

/** Shares of a window as characters, neither raised nor cut; the default budgets where the window is not known. */
export function windowBudgets(windowTokens: number | undefined, shares: Budgets = SHARES): Budgets {
  if (windowTokens === undefined) return PRESETS.balanced;
  return eachBudget((field) => Math.trunc(windowTokens * CHARS_PER_TOKEN * shares[field]));
}

/** The preset that has just these three values. */
export function presetOf(budgets: Budgets): Preset | undefined {
  const presets = Object.keys(PRESETS) as Preset[];
  return presets.find((preset) => BUDGET_FIELDS.every((field) => PRESETS[preset][field] === budgets[field]));
}

/** One value for each budget. */
export function eachBudget<T>(value: (field: BudgetField) => T): { readonly [K in BudgetField]: T } {
  return {
    contextBudgetChars: value('contextBudgetChars'),
    historyRecentChars: value('historyRecentChars'),
    historyOlderChars: value('historyOlderChars'),
  };
}

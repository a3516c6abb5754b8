import { BUDGET_FIELDS, type BudgetChanges, type BudgetField, type Budgets } from '../../config/config.ts';
import { groupDigits } from '../../core/text/words.ts';

export type Preset = NonNullable<BudgetChanges['preset']>;

const REFERENCE_WINDOW = 200_000;

/** Sizes in code points for a window of 200,000 tokens; `balanced`, the default, takes a quarter of it. */
export const PRESETS: Readonly<Record<Preset, Budgets>> = {
  lean: { contextBudgetChars: 100_000, historyRecentChars: 30_000, historyOlderChars: 5_000 },
  balanced: { contextBudgetChars: 200_000, historyRecentChars: 60_000, historyOlderChars: 10_000 },
  heavy: { contextBudgetChars: 400_000, historyRecentChars: 120_000, historyOlderChars: 20_000 },
};

/** Lower bounds: a tenth of `lean`, so that all sizes of a shrinking preset reach their bounds at the same window. */
export const FLOORS: Budgets = { contextBudgetChars: 10_000, historyRecentChars: 3_000, historyOlderChars: 500 };

const CEILING = 600_000;

export function presetBudgets(preset: Preset, windowTokens = REFERENCE_WINDOW): Budgets {
  return eachBudget((field) => {
    const chars = Math.trunc((PRESETS[preset][field] * windowTokens) / REFERENCE_WINDOW);
    return Math.min(Math.max(chars, FLOORS[field]), CEILING);
  });
}

function eachBudget<T>(value: (field: BudgetField) => T) {
  return Object.fromEntries(BUDGET_FIELDS.map((field) => [field, value(field)])) as Record<BudgetField, T>;
}

/** Levels of configuration. Later levels override earlier ones. */
export const LEVELS = ['global', 'profile', 'flow', 'step'] as const;

export type Level = (typeof LEVELS)[number];

export type BudgetLevels = { readonly [L in Level]?: BudgetChanges | undefined };

export type BudgetSource = 'default' | Level | `preset ${Preset} (${Level})`;

type SourcedBudget = { readonly value: number; readonly source: BudgetSource };

/** The configured values within their bounds; no part is larger than the whole. Presets scale with the window. */
export function resolveBudgets(levels: BudgetLevels, windowTokens = REFERENCE_WINDOW) {
  const set = settleBudgets(levels, windowTokens);
  const total = applyBounds('contextBudgetChars', set.contextBudgetChars).value;
  const each = eachBudget((field) => applyBounds(field, set[field], total));
  return {
    values: eachBudget((field): SourcedBudget => ({ value: each[field].value, source: set[field].source })),
    budgets: eachBudget((field) => each[field].value),
    warnings: BUDGET_FIELDS.flatMap((field) => each[field].warnings),
  };
}

/**
 * The configured values before the bounds apply. The last level with a value counts, also if it is 0. Within a level, a
 * size overrides the preset.
 */
export function settleBudgets(levels: BudgetLevels, windowTokens = REFERENCE_WINDOW) {
  return eachBudget((field): SourcedBudget => {
    const found = LEVELS.flatMap((level): SourcedBudget[] => {
      const { preset, [field]: value } = levels[level] ?? {};
      if (value !== undefined) return [{ value, source: level }];
      if (preset === undefined) return [];
      return [{ value: presetBudgets(preset, windowTokens)[field], source: `preset ${preset} (${level})` }];
    });
    return found.at(-1) ?? { value: presetBudgets('balanced', windowTokens)[field], source: 'default' };
  });
}

/** A larger value is probably in another unit. */
const MAX_PLAUSIBLE = 5_000_000;

/** Applies the bounds to a value. The kind of the warning is the first bound that applied; the message lists all. */
function applyBounds(field: BudgetField, { value: set, source }: SourcedBudget, total = CEILING) {
  const floor = FLOORS[field];
  const ceiling = groupDigits(CEILING);
  // Also true for NaN.
  const isLow = !(set >= floor);
  const bounded = isLow ? floor : Math.min(Math.trunc(set), CEILING);
  const used = Math.min(bounded, total);
  const guardrails = [
    {
      kind: 'suspicious',
      applies: set > MAX_PLAUSIBLE,
      why: `far above the ceiling of ${ceiling} (are these characters?)`,
    },
    { kind: 'above_max', applies: set > CEILING && set <= MAX_PLAUSIBLE, why: `above the ceiling of ${ceiling}` },
    { kind: 'below_min', applies: isLow, why: `below the floor of ${groupDigits(floor)}` },
    { kind: 'above_total', applies: bounded > total, why: `above contextBudgetChars, ${groupDigits(total)}` },
  ] as const;
  const applied = guardrails.filter(({ applies }) => applies);
  const reasons = applied.map(({ why }) => why).join(', and ');
  const message = `${field}: ${groupDigits(set)} (${source}) is ${reasons}; ${groupDigits(used)} is used`;
  return {
    value: used,
    warnings: applied.slice(0, 1).map(({ kind }) => ({ field, kind, set, used, source, message })),
  };
}

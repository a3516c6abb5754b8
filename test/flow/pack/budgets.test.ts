import { describe, expect, it } from 'vitest';
import { BUDGET_FIELDS } from '../../../src/config/config.ts';
import {
  type BudgetLevels,
  FLOORS,
  PRESETS,
  type Preset,
  presetBudgets,
  resolveBudgets,
} from '../../../src/flow/pack/budgets.ts';

/** Total, recent and older, each as `value source`. */
function shown(levels: BudgetLevels): string[] {
  const { values } = resolveBudgets(levels);
  return BUDGET_FIELDS.map((field) => `${values[field].value} ${values[field].source}`);
}

describe('levels', () => {
  it.each<{ name: string; levels: BudgetLevels; as: string[] }>([
    { name: 'nothing said', levels: {}, as: ['200000 default', '60000 default', '10000 default'] },
    {
      name: 'every level its own value',
      levels: {
        global: { historyOlderChars: 9_000 },
        profile: { historyRecentChars: 50_000, historyOlderChars: 8_000 },
        flow: { contextBudgetChars: 150_000 },
        step: { historyOlderChars: 7_000 },
      },
      as: ['150000 flow', '50000 profile', '7000 step'],
    },
    {
      name: 'a preset',
      levels: { flow: { preset: 'lean' } },
      as: ['100000 preset lean (flow)', '30000 preset lean (flow)', '5000 preset lean (flow)'],
    },
    {
      name: 'a preset takes the place of values below it',
      levels: { global: { historyOlderChars: 1_234 }, step: { preset: 'heavy' } },
      as: ['400000 preset heavy (step)', '120000 preset heavy (step)', '20000 preset heavy (step)'],
    },
    {
      name: 'a value beside a preset, and one above it',
      levels: { profile: { preset: 'lean', historyRecentChars: 40_000 }, step: { contextBudgetChars: 90_000 } },
      as: ['90000 step', '40000 profile', '5000 preset lean (profile)'],
    },
  ])('$name', ({ levels, as }) => {
    expect(shown(levels)).toEqual(as);
  });
});

describe('other windows', () => {
  it.each<{ preset: Preset; window: number; as: number[] }>([
    { preset: 'balanced', window: 200_000, as: [200_000, 60_000, 10_000] },
    { preset: 'balanced', window: 128_000, as: [128_000, 38_400, 6_400] },
    { preset: 'balanced', window: 32_000, as: [32_000, 9_600, 1_600] },
    { preset: 'lean', window: 32_000, as: [16_000, 4_800, 800] },
    { preset: 'lean', window: 1_000_000, as: [500_000, 150_000, 25_000] },
    { preset: 'balanced', window: 1_000_000, as: [600_000, 300_000, 50_000] },
    { preset: 'lean', window: 8_000, as: [10_000, 3_000, 500] },
  ])('$preset of $window tokens', ({ preset, window, as }) => {
    const { budgets, warnings } = resolveBudgets({ flow: { preset } }, window);
    expect(Object.values(budgets)).toEqual(as);
    expect(warnings).toEqual([]);
  });

  it('defaults to the same share of every window', () => {
    expect(presetBudgets('balanced', 200_000)).toEqual(PRESETS.balanced);
    expect(resolveBudgets({}, 128_000).budgets).toEqual(presetBudgets('balanced', 128_000));
  });
});

describe('guardrails', () => {
  it.each<{ name: string; levels: BudgetLevels; as: number[]; said: string[] }>([
    { name: 'floors', levels: { step: FLOORS }, as: [10_000, 3_000, 500], said: [] },
    {
      name: 'below the floors',
      levels: { step: { contextBudgetChars: 9_999, historyRecentChars: 2_999, historyOlderChars: 499 } },
      as: [10_000, 3_000, 500],
      said: [
        'contextBudgetChars: 9,999 (step) is below the floor of 10,000; 10,000 is used',
        'historyRecentChars: 2,999 (step) is below the floor of 3,000; 3,000 is used',
        'historyOlderChars: 499 (step) is below the floor of 500; 500 is used',
      ],
    },
    {
      name: 'above the ceiling',
      levels: { profile: { contextBudgetChars: 600_001 } },
      as: [600_000, 60_000, 10_000],
      said: ['contextBudgetChars: 600,001 (profile) is above the ceiling of 600,000; 600,000 is used'],
    },
    {
      name: 'suspicious',
      levels: { global: { contextBudgetChars: 5_000_001 } },
      as: [600_000, 60_000, 10_000],
      said: [
        'contextBudgetChars: 5,000,001 (global) is far above the ceiling of 600,000 (are these characters?); 600,000 is used',
      ],
    },
    {
      name: 'parts above the whole',
      levels: { step: { contextBudgetChars: 20_000, historyOlderChars: 30_000 } },
      as: [20_000, 20_000, 20_000],
      said: [
        'historyRecentChars: 60,000 (default) is above contextBudgetChars, 20,000; 20,000 is used',
        'historyOlderChars: 30,000 (step) is above contextBudgetChars, 20,000; 20,000 is used',
      ],
    },
    {
      name: 'a part above the ceiling and the whole: one warning with what is used in the end',
      levels: { step: { historyRecentChars: 700_000 } },
      as: [200_000, 200_000, 10_000],
      said: [
        'historyRecentChars: 700,000 (step) is above the ceiling of 600,000, and above contextBudgetChars, 200,000; 200,000 is used',
      ],
    },
    {
      name: 'no number, and less than none',
      levels: { step: { contextBudgetChars: Number.NaN, historyRecentChars: -1, historyOlderChars: 600.9 } },
      as: [10_000, 3_000, 600],
      said: [
        'contextBudgetChars: NaN (step) is below the floor of 10,000; 10,000 is used',
        'historyRecentChars: -1 (step) is below the floor of 3,000; 3,000 is used',
      ],
    },
  ])('$name', ({ levels, as, said }) => {
    const { budgets, warnings } = resolveBudgets(levels);
    expect(Object.values(budgets)).toEqual(as);
    expect(warnings.map(({ message }) => message)).toEqual(said);
  });

  it('warns with field, guardrail, figures and source', () => {
    expect(resolveBudgets({ flow: { historyOlderChars: 1 } }).warnings).toEqual([
      expect.objectContaining({ field: 'historyOlderChars', kind: 'below_min', set: 1, used: 500, source: 'flow' }),
    ]);
  });
});

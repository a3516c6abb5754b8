import { expect, it } from 'vitest';
import { budgetWarnings } from '../../src/flow/briefing.ts';
import { flowOf, flowStep } from '../support/packs.ts';

const LOW = 'historyOlderChars: 8 (flow) is below the floor of 500; 500 is used';

it.each([
  { title: 'what holds for all steps is told once', own: {}, as: [LOW] },
  {
    title: 'what holds for some is told with their names',
    own: { historyOlderChars: 7 },
    as: [`a, c: ${LOW}`, `b: ${LOW.replace('8 (flow)', '7 (step)')}`],
  },
  { title: 'what is right is not told', own: { historyOlderChars: 600 }, as: [`a, c: ${LOW}`] },
])('$title', ({ own, as }) => {
  const steps = [flowStep({ id: 'a' }), flowStep({ id: 'b', budgets: own }), flowStep({ id: 'c' })];
  expect(budgetWarnings(flowOf(steps, { budgets: { historyOlderChars: 8 } }), steps, () => ({}))).toEqual(as);
});

it('knows what holds for all flows, and the window of each step', () => {
  const steps = [flowStep({ id: 'a' }), flowStep({ id: 'b' })];
  const global = { contextBudgetTokens: 0.5, historyRecentChars: 20_000, priorities: {} };
  const worldOf = ({ id }: { readonly id: string }) => ({ global, window: id === 'a' ? 1_000_000 : 100_000 });
  expect(budgetWarnings(flowOf(steps), steps, worldOf)).toEqual([
    'a: contextBudgetChars: 2,000,000 (global) is above the ceiling of 600,000; 600,000 is used',
  ]);
});

import { describe, expect, it } from 'vitest';
import type { CostPolicy } from '../../src/core/governor/policy.ts';
import { budgetArguments } from '../../src/run/headless-run.ts';
import { policyWith } from '../support/governor.ts';

interface BudgetCase {
  readonly name: string;
  readonly cost: Partial<CostPolicy>;
  readonly attended?: boolean;
  readonly spent?: number;
  readonly budget: readonly string[];
}

const CASES: readonly BudgetCase[] = [
  { name: 'no limit', cost: {}, budget: [] },
  { name: 'a fifth above it for the last turn', cost: { limitUsd: 2 }, budget: ['2.400000'] },
  { name: 'none above it where there is no last turn', cost: { limitUsd: 2, onLimit: 'stop' }, budget: ['2.000000'] },
  { name: 'none where a person is asked', cost: { limitUsd: 2, onLimit: 'ask' }, budget: [] },
  { name: 'none at a terminal, where a person is asked', cost: { limitUsd: 2 }, attended: true, budget: [] },
  {
    name: 'one at a terminal where nobody is asked',
    cost: { limitUsd: 2, onLimit: 'wrap-up' },
    attended: true,
    budget: ['2.400000'],
  },
  { name: 'what is left for another process', cost: { limitUsd: 2 }, spent: 0.7, budget: ['1.700000'] },
  { name: 'hardly anything where nothing is left', cost: { limitUsd: 2 }, spent: 9, budget: ['0.000100'] },
  { name: 'no limit for the run, but for the project', cost: { projectLimitUsd: 5 }, budget: [] },
];

describe("claude's own stop", () => {
  it.each(CASES)('$name', ({ cost, attended = false, spent = 0, budget }) => {
    const expected = budget.flatMap((usd) => ['--max-budget-usd', usd]);
    expect(budgetArguments(policyWith({ cost }).cost, attended, spent)).toEqual(expected);
  });
});

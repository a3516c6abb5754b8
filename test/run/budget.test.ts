import { describe, expect, it } from 'vitest';
import type { CostPolicy } from '../../src/core/governor/policy.ts';
import { budgetArguments } from '../../src/run/headless-run.ts';
import { policyWith } from '../support/governor.ts';

interface BudgetCase {
  readonly name: string;
  readonly cost: Partial<CostPolicy>;
  readonly attended?: boolean;
  readonly spent?: number;
  readonly project?: number;
  /** The caller's own limit of claude, and what earlier processes have spent of it. */
  readonly own?: { readonly limit: number; readonly spent: number };
  readonly budget: readonly string[];
}

const CASES: readonly BudgetCase[] = [
  { name: 'no limit', cost: {}, budget: [] },
  { name: 'a fifth above it for the last turn', cost: { limitUsd: 2 }, budget: ['2.400000'] },
  { name: 'none above it where there is no last turn', cost: { limitUsd: 2, onLimit: 'stop' }, budget: ['2.000000'] },
  { name: 'none where a person is asked', cost: { limitUsd: 2, onLimit: 'ask' }, attended: true, budget: [] },
  { name: 'one where nobody is there to be asked', cost: { limitUsd: 2, onLimit: 'ask' }, budget: ['2.400000'] },
  { name: 'none at a terminal, where a person is asked', cost: { limitUsd: 2 }, attended: true, budget: [] },
  {
    name: 'one at a terminal where nobody is asked',
    cost: { limitUsd: 2, onLimit: 'wrap-up' },
    attended: true,
    budget: ['2.400000'],
  },
  { name: 'what is left for another process', cost: { limitUsd: 2 }, spent: 0.7, budget: ['1.700000'] },
  { name: 'hardly anything where nothing is left', cost: { limitUsd: 2 }, spent: 9, budget: ['0.000100'] },
  { name: "what is left of the project's", cost: { projectLimitUsd: 5 }, project: 4, budget: ['2.000000'] },
  {
    name: 'the nearer of two',
    cost: { projectLimitUsd: 5, limitUsd: 2, onLimit: 'stop' },
    project: 4.5,
    budget: ['0.500000'],
  },
  { name: "none beside a lower one of the caller's", cost: { limitUsd: 2 }, own: { limit: 2.4, spent: 0 }, budget: [] },
  {
    name: "one in place of a higher one of the caller's",
    cost: { limitUsd: 2 },
    own: { limit: 5, spent: 0 },
    budget: ['2.400000'],
  },
  {
    name: "what is left of the caller's for another process",
    cost: {},
    own: { limit: 2, spent: 0.5 },
    budget: ['1.500000'],
  },
  {
    name: 'the same where a person is asked',
    cost: { limitUsd: 9 },
    attended: true,
    own: { limit: 2, spent: 0.5 },
    budget: ['1.500000'],
  },
];

describe("claude's own cost limit", () => {
  it.each(CASES)('$name', ({ cost, attended = false, spent = 0, project = 0, own, budget }) => {
    const expected = budget.flatMap((usd) => ['--max-budget-usd', usd]);
    expect(budgetArguments(policyWith({ cost }).cost, attended, { run: spent, project }, own)).toEqual(expected);
  });
});

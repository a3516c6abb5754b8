import { describe, expect, it } from 'vitest';
import { type CostNotice, judgeCost } from '../../../../src/core/governor/cost/cost-limit.ts';

interface Limits {
  readonly limitUsd?: number;
  readonly projectLimitUsd?: number;
  /** Costs of other runs in the period, and of this run before it. */
  readonly others?: number;
  readonly earlier?: number;
}

function costsOf(spent: number, { limitUsd, projectLimitUsd, others = 0, earlier = 0 }: Limits) {
  return [
    { scope: 'run', spent, limitUsd },
    { scope: 'project', spent: spent + others - earlier, limitUsd: projectLimitUsd },
  ] as const;
}

/** The levels and notices of sums that follow each other, notices as `scope level`. */
function course(limits: Limits, ...sums: readonly number[]) {
  let said: readonly CostNotice[] = [];
  return sums.map((spent) => {
    const judgement = judgeCost(costsOf(spent, limits), said);
    said = judgement.said;
    return [judgement.level, ...judgement.news.map(({ scope, level }) => `${scope} ${level}`)];
  });
}

describe('cost limits', () => {
  it.each([
    { title: 'none', limits: {}, sums: [9e9], expected: [['none']] },
    { title: 'one of 0 is none', limits: { limitUsd: 0, projectLimitUsd: 0 }, sums: [9e9], expected: [['none']] },
    {
      title: 'each is said once, and holds on',
      limits: { limitUsd: 1 },
      sums: [799_999, 800_000, 900_000, 999_999, 1_000_000, 1_100_000],
      expected: [['none'], ['warn', 'run warn'], ['warn'], ['warn'], ['limit', 'run limit'], ['limit']],
    },
    {
      title: 'past the limit at once',
      limits: { limitUsd: 1 },
      sums: [1_200_000],
      expected: [['limit', 'run warn', 'run limit']],
    },
    {
      title: '$2.40 of $3.00 warns',
      limits: { limitUsd: 3 },
      sums: [2_399_999, 2_400_000],
      expected: [['none'], ['warn', 'run warn']],
    },
    {
      title: 'other runs count for the project alone',
      limits: { limitUsd: 1, projectLimitUsd: 10, others: 9_500_000 },
      sums: [100_000, 500_000],
      expected: [
        ['warn', 'project warn'],
        ['limit', 'project limit'],
      ],
    },
    {
      title: 'what was spent before the period does not',
      limits: { projectLimitUsd: 1, earlier: 5_000_000 },
      sums: [5_500_000, 6_000_000],
      expected: [['none'], ['limit', 'project warn', 'project limit']],
    },
  ])('$title', ({ limits, sums, expected }) => {
    expect(course(limits, ...sums)).toEqual(expected);
  });

  it('of two limits, the nearest counts, and its sums are named', () => {
    const limits = { limitUsd: 2, projectLimitUsd: 10, others: 8_000_000 };
    expect(judgeCost(costsOf(1_000_000, limits), []).nearest).toEqual({
      scope: 'project',
      level: 'warn',
      spent: 9_000_000,
      limit: 10_000_000,
    });
    expect(judgeCost(costsOf(1_900_000, limits), []).nearest?.scope).toBe('project');
    expect(judgeCost(costsOf(1_900_000, { ...limits, others: 0 }), []).nearest?.scope).toBe('run');
  });

  it('of two equally near limits, the one of the run counts', () => {
    const limits = { limitUsd: 1, projectLimitUsd: 2, others: 500_000 };
    expect(judgeCost(costsOf(500_000, limits), []).nearest?.scope).toBe('run');
  });

  it('a new limit is announced again', () => {
    const { said } = judgeCost(costsOf(1_000_000, { limitUsd: 1 }), []);
    const raised = { limitUsd: 2 };
    expect(judgeCost(costsOf(1_000_000, raised), said)).toMatchObject({ level: 'none', news: [] });
    expect(judgeCost(costsOf(1_600_000, raised), said).news.map(({ level }) => level)).toEqual(['warn']);
  });

  it('the list of notices stays the same object without a new notice', () => {
    const said: readonly CostNotice[] = [];
    expect(judgeCost(costsOf(1, { limitUsd: 1 }), said).said).toBe(said);
  });
});

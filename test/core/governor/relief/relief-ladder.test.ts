import { describe, expect, it } from 'vitest';
import { compareStrategies } from '../../../../src/core/governor/relief/ladder.ts';
import { extentOf } from '../../../../src/core/governor/relief/outlook.ts';
import type { GovernorState } from '../../../../src/core/governor/state.ts';
import { afterTurn, boundaryLine, callLine, decisions, kinds, policyWith } from '../../../support/governor.ts';

/** 160,000 tokens after two calls, the first with 20,000; `landings` of earlier compactions. */
function full(landings: readonly number[]): GovernorState {
  const { state } = afterTurn(160_000, { policy: policyWith({ strategy: 'auto' }) });
  return { ...state, relief: { ...state.relief, landings } };
}

const costsOf = (state: GovernorState) => compareStrategies(state, extentOf(state));

describe('the cost of both ways', () => {
  it('is the number of tokens read until the context is full again', () => {
    // From 100,000 to 156,000 by the usual 617 tokens a call.
    expect(costsOf(full([100_000]))).toEqual({
      compact: 160_001 + 91 * 100_000,
      handoff: 2 * 160_001 + 91 * 26_000,
      text: expect.stringMatching(
        /^over 91 calls compacting reads 160001 \+ 91 × 100000 \(as one compaction landed\) = 9260001 tokens/,
      ),
    });
  });

  it.each([
    { name: 'a summary that stays large', landings: [90_000, 100_000, 95_000], cheaper: 'handoff' },
    { name: 'a summary that is smaller than a document', landings: [21_000], cheaper: 'compact' },
  ])('speaks for $cheaper after $name', ({ landings, cheaper }) => {
    const { compact, handoff } = costsOf(full(landings));
    expect(handoff < compact ? 'handoff' : 'compact').toBe(cheaper);
  });

  it.each([
    {
      name: 'nothing is known of compactions: what they keep is added to the first call',
      landings: [],
      sum: '37500 (assumed)',
    },
    { name: 'one was seen', landings: [24_000], sum: '24000 (as one compaction landed)' },
    { name: 'several were seen', landings: [24_000, 60_000, 30_000], sum: '30000 (as 3 compactions landed)' },
  ])('says where compactions land where $name', ({ landings, sum }) => {
    expect(costsOf(full(landings)).text).toContain(` × ${sum} = `);
  });

  it('begins with the landings of earlier compactions in the project, and learns from each', () => {
    const driver = afterTurn(160_000, { policy: policyWith({ strategy: 'auto' }), landings: [21_000] });
    expect(driver.state.relief.landings).toEqual([21_000]);
    const before = driver.actions.length;
    driver.claude(boundaryLine('auto', 160_000), callLine(29_000), callLine(30_000));
    expect(driver.state.relief.landings).toEqual([21_000, 29_000]);
    const noted = driver.actions
      .slice(before)
      .flatMap((action) => (action.kind === 'health' ? action.record.details : []));
    expect(noted.filter(({ event }) => event === 'landing')).toMatchObject([{ tokens: 29_000 }]);
  });

  it('is finite in a window that hardly holds the first call', () => {
    const { state } = afterTurn(21_000, { policy: policyWith({ window: 20_000 }) });
    const { compact, handoff } = costsOf(state);
    expect([compact, handoff].every((sum) => Number.isFinite(sum) && sum > 0)).toBe(true);
  });
});

describe('the strategy', () => {
  it.each([
    { strategy: 'compact', way: 'compact' },
    { strategy: 'handoff', way: 'handoff' },
  ] as const)('$strategy', ({ strategy, way }) => {
    expect(kinds(decisions(afterTurn(160_000, { policy: policyWith({ strategy }) }).prompt('Next.')))).toEqual([way]);
  });

  it('auto reports the sums', () => {
    const [decision] = decisions(afterTurn(160_000, { policy: policyWith({ strategy: 'auto' }) }).prompt('Next.'));
    expect(decision?.reason).toMatch(/^160001 tokens have crossed 156000 of 200000; over \d+ calls compacting reads/);
  });
});

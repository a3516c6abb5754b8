import { expect, it } from 'vitest';
import { afterTurn, boundaryLine, callLine, decisions, kinds, policyWith } from '../../../support/governor.ts';

it('learns from the size after each compaction', () => {
  const driver = afterTurn(160_000);
  const before = driver.actions.length;
  driver.claude(boundaryLine('auto', 160_000), callLine(29_000), callLine(30_000));
  expect(driver.state.relief.sizesAfter).toEqual([29_000]);
  const noted = driver.actions
    .slice(before)
    .flatMap((action) => (action.kind === 'health' ? action.record.details : []));
  expect(noted.filter(({ event }) => event === 'landing')).toMatchObject([{ tokens: 29_000 }]);
});

it.each([
  { strategy: 'compact', way: 'compact' },
  { strategy: 'handoff', way: 'handoff' },
] as const)('the strategy $strategy', ({ strategy, way }) => {
  expect(kinds(decisions(afterTurn(160_000, { policy: policyWith({ strategy }) }).prompt('Next.')))).toEqual([way]);
});

import { describe, expect, it } from 'vitest';
import { triggerOf } from '../../../src/replay/what-if/pilot.ts';
import { whatIfPolicy } from '../../support/recorded-session.ts';

const NONE = { none: true };

describe("claude's own trigger", () => {
  it.each([
    { policy: NONE, version: '1.0.128', at: 155_000 },
    { policy: NONE, version: '2.1.20', at: 155_000 },
    { policy: NONE, version: '2.1.22', at: 167_000 },
    { policy: NONE, version: '2.1.49', at: 167_000 },
    { policy: NONE, version: '2.1.197', at: undefined },
    { policy: NONE, version: '3.0.0', at: undefined },
    { policy: NONE, version: null, at: undefined },
    { policy: { ...NONE, native: '2.1.20' }, version: '2.1.329', at: 155_000 },
    { policy: { ...NONE, native: 120_000 }, version: '2.1.329', at: 120_000 },
    { policy: { ...NONE, native: 900_000 }, version: '2.1.329', at: 200_000 },
    { policy: { native: '2.1.22' }, version: '2.1.329', at: 167_000 },
    { policy: { midTurn: { enabled: false } }, version: '2.1.10', at: 155_000 },
    { policy: { observe: true }, version: '2.1.10', at: 155_000 },
  ])('of $version under $policy is at $at of 200,000, and is its own', ({ policy, version, at }) => {
    expect(triggerOf(whatIfPolicy(policy), 200_000, version)).toEqual({
      at,
      by: 'claude',
      most: 200_000,
      reacts: true,
    });
  });

  it.each([
    { policy: {}, window: 200_000, at: 167_000 },
    { policy: {}, window: 1_000_000, at: 880_000 },
    { policy: { thresholds: { compact: 0.5, midTurn: 0.6 } }, window: 200_000, at: 120_000 },
    { policy: { compaction: { enabled: false } }, window: 1_000_000, at: 967_000 },
  ])('is placed at $at of $window by $policy', ({ policy, window, at }) => {
    expect(triggerOf(whatIfPolicy(policy), window, '2.1.329')).toMatchObject({ at, by: 'placed' });
  });

  it('cannot be placed in a window that is too small for its setting', () => {
    expect(triggerOf(whatIfPolicy(), 60_000, '2.1.329')).toMatchObject({ at: undefined, by: 'claude' });
  });

  it('is off: at 180,000 of 200,000 claude goes no further', () => {
    const off = triggerOf(whatIfPolicy({ native: 'off' }), 200_000, '2.1.20');
    expect(off).toEqual({ at: undefined, by: 'claude', most: 180_000, reacts: false });
  });
});

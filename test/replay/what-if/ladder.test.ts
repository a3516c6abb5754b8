import { describe, expect, it } from 'vitest';
import { createLadder } from '../../../src/replay/what-if/pilot.ts';
import { whatIfPolicy } from '../../support/recorded-session.ts';

const WINDOW = 200_000;

function ladder(policy: object = {}) {
  return createLadder(whatIfPolicy(policy).policy, WINDOW);
}

describe('between two turns', () => {
  it.each([
    { policy: {}, full: 155_999, way: undefined },
    { policy: {}, full: 156_000, way: 'compact' },
    { policy: { thresholds: { compact: 100_000 } }, full: 100_000, way: 'compact' },
    { policy: { strategy: 'handoff' }, full: 156_000, way: 'handoff' },
    { policy: { strategy: 'handoff', handoff: { enabled: false } }, full: 156_000, way: 'compact' },
    { policy: { compaction: { enabled: false } }, full: 158_000, way: undefined },
    { policy: { compaction: { enabled: false } }, full: 170_000, way: 'handoff' },
    { policy: { compaction: { enabled: false }, handoff: { enabled: false } }, full: 199_000, way: undefined },
  ])('$policy at $full: $way', ({ policy, full, way }) => {
    expect(ladder(policy).due(full)).toBe(way);
  });

  it('what was crossed in mid-turn is still known', () => {
    const one = ladder();
    one.read(160_000);
    expect(one.due(120_000)).toBe('compact');
    one.read(90_000);
    expect(one.due(90_000)).toBeUndefined();
  });

  it('a landing above the target leads to a handoff, one below it does not', () => {
    const one = ladder();
    one.landed('claude', 1, 110_000);
    expect(one.due(110_000)).toBe('handoff');
    const other = ladder();
    other.landed('claude', 1, 90_000);
    expect(other.due(110_000)).toBeUndefined();
  });

  it('compacting that does not help is given up', () => {
    const one = ladder({ handoff: { enabled: false } });
    for (const turn of [1, 2]) {
      expect(one.due(170_000)).toBe('compact');
      one.landed('ctxb', turn, 165_000);
      one.read(165_000);
    }
    expect(one.due(170_000)).toBeUndefined();
  });

  it('a handoff that does not help is not repeated until the context has fallen', () => {
    const one = ladder({ strategy: 'handoff' });
    expect(one.due(170_000)).toBe('handoff');
    one.landed('handoff', 1, 150_000);
    expect(one.due(170_000)).toBe('compact');
    one.read(20_000);
    expect(one.due(170_000)).toBe('handoff');
  });

  it('three compactions within five turns lead to a handoff', () => {
    const one = ladder();
    for (const turn of [1, 2, 3]) {
      one.read(160_000);
      expect(one.due(160_000)).toBe('compact');
      one.landed('ctxb', turn, 50_000);
      one.read(50_000);
    }
    expect(one.due(160_000)).toBe('handoff');
  });

  it('the cheaper way is that of less reading until the context is full again', () => {
    const one = ladder({ strategy: 'auto' });
    one.read(20_000);
    one.read(20_600);
    expect(one.due(160_000)).toBe('handoff');
    const full = ladder({ strategy: 'auto' });
    full.read(100_000);
    full.read(150_000);
    expect(full.due(160_000)).toBe('compact');
  });
});

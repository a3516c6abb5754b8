import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { GRID } from '../../../src/replay/what-if/read-policy.ts';
import type { SessionWhatIf, WhatIfPolicy } from '../../../src/replay/what-if/what-if.ts';
import { createRandom } from '../../support/random.ts';
import { type CallSketch, compared, randomSession, sketched, whatIfPolicy } from '../../support/recorded-session.ts';
import { sized } from '../../support/size.ts';

const ROUNDS = sized(40, 150);
const UNCHECKED = { name: 'nobody', none: true, native: 'off' };

function compare(session: SessionSummary, policies: readonly WhatIfPolicy[]): SessionWhatIf {
  const [whatIf] = compared([session], { policies, withCurves: true }).sessions;
  if (whatIf === undefined) throw new Error('a session without calls');
  return whatIf;
}

describe('over sessions by chance', () => {
  it('no policy lets a context grow larger than it does when nobody relieves it', () => {
    const random = createRandom(11);
    const policies = [UNCHECKED, ...GRID].map(whatIfPolicy);
    for (let round = 0; round < ROUNDS; round++) {
      const [nobody, ...others] = compare(randomSession(random), policies).policies;
      for (const { curve, name } of others) {
        const larger = curve?.findIndex((context, at) => context > (nobody?.curve?.[at] ?? 0));
        expect({ name, larger }).toEqual({ name, larger: -1 });
      }
    }
  });

  it('a context stays below the level, or the landing, and what one turn adds', () => {
    const random = createRandom(12);
    for (let round = 0; round < ROUNDS; round++) {
      const level = random.whole(60_000, 400_000);
      const session = randomSession(random, { compactions: false });
      const policy = whatIfPolicy({ window: 1_000_000, thresholds: { compact: level }, landing: 30_000 });
      const { policies, facts } = compare(session, [policy]);
      const [first] = session.series ?? [];
      const rest = Math.max(level, 30_000, facts.basis.fresh, first?.context ?? 0);
      expect(policies[0]?.figures.peak).toBeLessThanOrEqual(rest + largestTurn(session));
    }
  });

  it('cutting results never makes a context larger where nothing else is done', () => {
    const random = createRandom(13);
    const base = { native: 'off', compaction: { enabled: false }, handoff: { enabled: false } };
    for (let round = 0; round < ROUNDS; round++) {
      const session = randomSession(random);
      const modes = ['off', 'enforce'].map((mode) => whatIfPolicy({ ...base, tools: { mode } }));
      const [whole, cut] = compare(session, modes).policies;
      expect(cut?.curve?.every((context, at) => context <= (whole?.curve?.[at] ?? 0))).toBe(true);
      expect(whole?.figures.cut).toEqual({ results: 0, tokens: 0 });
      expect(cut?.figures.cut.tokens ?? 0).toBeGreaterThanOrEqual((whole?.last ?? 0) - (cut?.last ?? 0));
    }
  });

  it('the same data gives the same figures, and is left as it is', () => {
    const random = createRandom(14);
    const policies = GRID.map(whatIfPolicy);
    for (let round = 0; round < 20; round++) {
      const session = randomSession(random);
      const before = structuredClone(session);
      expect(compare(session, policies)).toEqual(compare(session, policies));
      expect(session).toEqual(before);
    }
  });
});

describe('where every turn adds the same', () => {
  const steady = (growth: number, calls: number): readonly CallSketch[] =>
    Array.from({ length: calls }, (_, at) => ({ context: 30_000 + at * growth, turn: at + 1, output: 0 }));

  it.each([1_000, 2_500, 5_000])('by %i tokens, a lower level never raises the peak', (growth) => {
    const session = sketched({ calls: steady(growth, 400) });
    const levels = Array.from({ length: 20 }, (_, at) => 0.4 + at * 0.02);
    const policies = levels.map((compact) => whatIfPolicy({ thresholds: { compact, handoff: 0.86 }, landing: 31_000 }));
    const peaks = compare(session, policies).policies.map(({ figures }) => figures.peak);
    expect(peaks).toEqual([...peaks].sort((a, b) => a - b));
    expect(new Set(peaks).size).toBeGreaterThan(5);
  });
});

/** The most that the calls of one turn add together. */
function largestTurn({ series = [] }: SessionSummary): number {
  const grown = new Map<number, number>();
  for (const [at, { turn, context, output }] of series.entries()) {
    const added = at === 0 ? 0 : Math.max(0, context - (series[at - 1]?.context ?? 0));
    grown.set(turn, (grown.get(turn) ?? 0) + added + output);
  }
  return Math.max(...grown.values());
}

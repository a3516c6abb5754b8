import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import type { SessionSummary } from '../../src/replay/summary.ts';
import { whatIfTotals, withCtxb } from '../../src/replay/what-if.ts';
import { type CallSketch, sketched } from '../support/recorded-session.ts';

/** Calls of one long turn, each 2,000 tokens larger than the one before. */
const growing = (count: number): CallSketch[] =>
  Array.from({ length: count }, (_, at) => ({ context: 20_000 + at * 2_000, output: 100 }));

function tried(session: SessionSummary, policy: Partial<typeof DEFAULTS> = {}) {
  const [{ whatIf } = session] = withCtxb([session], { ...DEFAULTS, ...policy });
  if (whatIf?.curve === undefined) throw new Error('nothing was simulated');
  const { curve } = whatIf;
  return { ...whatIf, curve, drops: curve.flatMap((context, at) => (context < (curve[at - 1] ?? 0) ? [at] : [])) };
}

const long = (calls: readonly CallSketch[], model = 'claude-opus-4-5') => sketched({ calls, window: 1_000_000, model });

describe('with ctxb', () => {
  it('a long turn is relieved in its middle, without a call, and costs less', () => {
    const { actual, ctxb, curve, drops } = tried(long(growing(200)));
    expect(drops.length).toBeGreaterThan(5);
    expect(ctxb.reliefs).toBe(drops.length);
    expect(ctxb.usd).toBeLessThan((actual.usd ?? 0) / 2);
    expect(Math.min(...drops.map((at) => curve[at - 1] ?? 0))).toBeGreaterThan(20_000 + 3 * 12_000 - 4_000);
    expect(Math.min(...drops.slice(1).map((at, index) => at - (drops[index] ?? 0)))).toBeGreaterThan(10);
  });

  it.each([
    { name: 'a short session', calls: growing(12) },
    { name: 'a context that stays small', calls: growing(10).flatMap((call) => [call, call, call]) },
  ])('$name is left as it is', ({ calls }) => {
    const { actual, ctxb, drops } = tried(long(calls));
    expect(drops).toEqual([]);
    expect(ctxb).toEqual(actual);
  });

  it('after a pause only what stays is bought again', () => {
    const calls = growing(24);
    calls[20] = { context: 60_000, output: 100, cacheRead: 0 };
    expect(tried(long(calls)).drops[0]).toBeLessThan(tried(long(growing(24))).drops[0] ?? 24);
  });

  it('without prices the moment is the one of list prices, and the cost is not known', () => {
    const [priced, unpriced] = [tried(long(growing(200))), tried(long(growing(200), 'somebody-s'))];
    expect(unpriced.drops).toEqual(priced.drops);
    expect(unpriced.ctxb.usd).toBeNull();
  });

  it('it is compacted at the level that is set', () => {
    const compaction = { ...DEFAULTS.compaction, moment: 0.1 };
    const { curve, drops } = tried(long(growing(100)), { compaction });
    expect(curve[(drops[0] ?? 0) - 1]).toBe(98_000 + 2_000);
  });

  it('a context that the caller began anew is begun anew, and what is taken out is taken out', () => {
    const { curve } = tried(sketched({ calls: [50_000, 60_000, 55_000, 10_000].map((context) => ({ context })) }));
    expect(curve).toEqual([50_000, 60_000, 55_000, 10_000]);
  });
});

it('summaries that happened took a call each, exact compactions none', () => {
  const summaries = sketched({ calls: [...growing(30), ...growing(30)], compactedAfter: [30], window: 1_000_000 });
  const compactions = summaries.compactions.map((one) => ({ ...one, how: 'exact' as const }));
  const [exact, summary] = [{ ...summaries, compactions }, summaries].map((session) => tried(session).actual);
  expect(exact?.reliefs).toBe(1);
  expect((summary?.read ?? 0) - (exact?.read ?? 0)).toBe(78_000 + 100);
  expect(summary?.usd).toBeGreaterThan(exact?.usd ?? 0);
});

it('sessions are added up; one without calls counts for nothing', () => {
  const [one, two] = [long(growing(200)), long(growing(12))];
  const totals = whatIfTotals(withCtxb([one, long([]), two], DEFAULTS));
  expect(totals).toMatchObject({ sessions: 2, calls: 212, estimated: 0 });
  expect(totals?.ctxb.read).toBe(tried(one).ctxb.read + tried(two).ctxb.read);
  expect(totals?.actual.peak).toBe(418_000);
  expect(whatIfTotals([long([])])).toBeUndefined();
});

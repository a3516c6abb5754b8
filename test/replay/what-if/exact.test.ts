import { describe, expect, it } from 'vitest';
import { type CallSketch, compared, sketched, whatIfPolicy } from '../../support/recorded-session.ts';

const EXACT = { compaction: { how: 'exact' }, tools: { mode: 'off' } };

/** Calls of one long turn, each 2,000 tokens larger than the one before. */
const growing = (count: number): CallSketch[] =>
  Array.from({ length: count }, (_, at) => ({ context: 20_000 + at * 2_000, output: 100 }));

function underExact(calls: readonly CallSketch[], policy: object = EXACT, model = 'claude-opus-4-5') {
  const session = sketched({ calls, window: 1_000_000, model });
  const [found] = compared([session], { policies: [whatIfPolicy(policy)], withCurves: true }).sessions;
  const [run] = found?.policies ?? [];
  if (found === undefined || run?.curve === undefined) throw new Error('nothing was simulated');
  const drops = run.curve.flatMap((context, at) => (context < (run.curve?.[at - 1] ?? 0) ? [at] : []));
  return { actual: found.actual, run, curve: run.curve, drops, assumptions: found.assumptions };
}

describe('what if every compaction were an exact one, as soon as it pays', () => {
  it('a long turn is relieved in its middle, without a call, and costs less', () => {
    const { actual, run, curve, drops } = underExact(growing(200));
    expect(drops.length).toBeGreaterThan(5);
    expect(run.figures.relief).toMatchObject({ calls: 0, read: 0 });
    expect(run.figures.reliefs).toMatchObject({ ctxb: drops.length });
    // The calls that fetch again are among the others.
    expect(run.figures.main.calls).toBe(200 + drops.length);
    expect(run.figures.main.usd).toBeLessThan((actual.figures.main.usd ?? 0) / 2);
    expect(Math.min(...drops.map((at) => curve[at - 1] ?? 0))).toBeGreaterThan(20_000 + 3 * 12_000 - 4_000);
    expect(Math.min(...drops.slice(1).map((at, index) => at - (drops[index] ?? 0)))).toBeGreaterThan(10);
  });

  it.each([
    { name: 'a short session', calls: growing(12) },
    { name: 'a context that stays small', calls: growing(10).flatMap((call) => [call, call, call]) },
  ])('$name is left as it is', ({ calls }) => {
    const { actual, run, drops } = underExact(calls);
    expect(drops).toEqual([]);
    expect(run.figures.main).toEqual(actual.figures.main);
  });

  it('after a pause only what stays is bought again', () => {
    const calls = growing(24);
    calls[20] = { context: 60_000, output: 100, cacheRead: 0 };
    const [cold, warm] = [underExact(calls), underExact(growing(24))];
    expect(cold.drops[0]).toBeLessThan(warm.drops[0] ?? 24);
  });

  it('without prices the moment is the one of list prices', () => {
    const [priced, unpriced] = [underExact(growing(200)), underExact(growing(200), EXACT, 'somebody-s')];
    expect(unpriced.drops).toEqual(priced.drops);
  });

  it('a share is a share, and says no more than that', () => {
    const { curve, drops } = underExact(growing(100), {
      ...EXACT,
      compaction: { how: 'exact' },
      thresholds: { compact: '10%' },
    });
    expect(curve[(drops[0] ?? 0) - 1]).toBe(98_000 + 2_000);
  });

  it('says what is assumed, and only then', () => {
    const said = (policy: object) => underExact(growing(30), policy).assumptions.join(' ');
    expect(said(EXACT)).toContain('an exact compaction leaves 12,000 tokens');
    expect(said({})).not.toContain('exact compaction');
  });
});

it('exact compactions that happened took no call', () => {
  const calls = [...growing(30), ...growing(30)];
  const summaries = sketched({ calls, compactedAfter: [30], window: 1_000_000 });
  const compactions = summaries.compactions.map((one) => ({ ...one, how: 'exact' as const }));
  const [exact, summary] = [{ ...summaries, compactions }, summaries].map(
    (session) => compared([session], {}).sessions[0]?.actual.figures,
  );
  expect(exact).toMatchObject({ relief: { calls: 0 }, main: { calls: 60 } });
  expect(exact?.main).toEqual(summary?.main);
  expect(summary?.relief.calls).toBe(1);
});

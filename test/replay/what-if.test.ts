import { readFileSync } from 'node:fs';
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
  it('compacts a long turn in its middle without an extra call, at a lower cost', () => {
    const { actual, ctxb, curve, drops } = tried(long(growing(200)));
    expect(drops.length).toBeGreaterThan(5);
    expect(ctxb.reliefs).toBe(drops.length);
    expect(ctxb.usd).toBeLessThan((actual.usd ?? 0) / 2);
    expect(Math.min(...drops.map((at) => curve[at - 1] ?? 0))).toBeGreaterThan(20_000 + 3 * 8_000 - 4_000);
    expect(Math.min(...drops.slice(1).map((at, index) => at - (drops[index] ?? 0)))).toBeGreaterThan(7);
  });

  it.each([
    { name: 'a short session', calls: growing(12) },
    { name: 'a context that stays small', calls: growing(10).flatMap((call) => [call, call, call]) },
  ])('does not change $name', ({ calls }) => {
    const { actual, ctxb, drops } = tried(long(calls));
    expect(drops).toEqual([]);
    expect(ctxb).toEqual(actual);
  });

  it('writes only the kept content again after a pause', () => {
    const calls = growing(24);
    const cold = { context: 46_000, output: 100, cacheRead: 0, t: 3_600_000 };
    calls[12] = { context: 44_000, output: 100, t: 1_000 };
    calls[13] = cold;
    expect(tried(long(calls)).drops[0]).toBeLessThan(tried(long(growing(24))).drops[0] ?? 24);
    // What else empties the cache nobody can foresee.
    calls[13] = { ...cold, t: 60_000 };
    expect(tried(long(calls)).drops[0]).toBeGreaterThan(13);
  });

  it('uses the moment of list prices without prices, and reports no cost', () => {
    const drops = (calls: readonly CallSketch[]) =>
      [undefined, 'somebody-s'].map((model) => tried(long(calls, model)).drops);
    const [priced, unpriced] = drops(growing(200));
    expect(unpriced).toEqual(priced);
    const calls = growing(60);
    calls[20] = { ...calls[20], context: 60_000, uses: [{ seen: 2, result: 7, tokens: 100_000 }] };
    const [bound, free] = drops(calls);
    // Without prices no bound delays a compaction after a loss.
    expect(free?.length).toBeGreaterThan(bound?.length ?? 0);
    expect(tried(long(calls, 'somebody-s')).ctxb.usd).toBeNull();
  });

  it('compacts at the configured level', () => {
    const compaction = { ...DEFAULTS.compaction, moment: 0.1 };
    const { curve, drops } = tried(long(growing(100)), { compaction });
    expect(curve[(drops[0] ?? 0) - 1]).toBe(98_000 + 2_000);
  });

  it('starts a new context where the caller did, and removes what was removed', () => {
    const { curve } = tried(sketched({ calls: [50_000, 60_000, 55_000, 10_000].map((context) => ({ context })) }));
    expect(curve).toEqual([50_000, 60_000, 55_000, 10_000]);
  });
});

describe('content that a compaction removed', () => {
  const drop = tried(long(growing(60))).drops[0] ?? 0;
  /** The call at a distance behind the first relief uses 5,000 tokens that stood last at a distance before it. */
  const using = (behind: number, before: number, turns = 1, tokens = 5_000) => {
    const calls = growing(60);
    for (let turn = 0; turn < turns; turn++) {
      const uses = [{ seen: drop - before, result: 7, tokens }];
      calls[drop + behind + turn] = { ...(calls[drop + behind] as CallSketch), uses };
    }
    return tried(long(calls));
  };
  const without = tried(long(growing(60)));

  it.each([0, 4])('is fetched again by a separate call, %d calls later, and stays', (behind) => {
    const { fetched, ctxb, curve } = using(behind, 10);
    expect(fetched).toBe(1);
    expect((curve[drop + behind] ?? 0) - (without.curve[drop + behind] ?? 0)).toBe(5_000 + 150);
    expect(ctxb.read).toBeGreaterThan(without.ctxb.read + (curve[drop + behind] ?? 0));
    expect(ctxb.usd ?? 0).toBeGreaterThan((without.ctxb.usd ?? 0) + (5_000 * 6.25 + 150 * 25) / 1_000_000);
  });

  it('is fetched once until the next compaction, and not if the last steps contained it', () => {
    expect(using(0, 10, 3).fetched).toBe(1);
    expect(using(0, 1).fetched).toBe(0);
    expect(using(-2, 10).fetched).toBe(0);
  });

  it('leaves nothing for another compaction before it pays', () => {
    const loss = using(1, 10, 1, 100_000);
    expect(loss.drops.slice(0, 1)).toEqual([drop]);
    expect(loss.drops[1] ?? 60).toBeGreaterThan(without.drops[1] ?? 60);
  });

  it('stays if several calls used it lately', () => {
    const level = { compaction: { ...DEFAULTS.compaction, moment: 0.1 } };
    const [relief = 0] = tried(long(growing(60)), level).drops;
    const usedAt = (...numbers: readonly number[]) => {
      const calls = growing(60);
      for (const at of numbers)
        calls[at] = { ...calls[at], context: 20_000 + at * 2_000, uses: [{ seen: 2, result: 7, tokens: 5_000 }] };
      return tried(long(calls), level);
    };
    const base = usedAt();
    const kept = usedAt(relief - 6, relief - 3, relief + 5);
    expect([kept.fetched, kept.curve[relief]]).toEqual([0, (base.curve[relief] ?? 0) + 5_000]);
    const [once, longAgo] = [usedAt(relief - 3, relief + 5), usedAt(relief - 20, relief - 15, relief + 5)];
    expect([once.fetched, longAgo.fetched]).toEqual([1, 1]);
  });

  it("is not fetched if the caller's new context never had it", () => {
    const calls = growing(60);
    calls[drop + 3] = { context: 20_000, output: 100 };
    const uses = [{ seen: drop - 10, result: 7, tokens: 5_000 }];
    calls.splice(drop + 4, 60, { context: 21_000, uses });
    expect(tried(long(calls)).fetched).toBe(0);
  });
});

it('counts a call for each recorded summary, and none for exact compactions', () => {
  const summaries = sketched({ calls: [...growing(30), ...growing(30)], compactedAfter: [30], window: 1_000_000 });
  const compactions = summaries.compactions.map((one) => ({ ...one, how: 'exact' as const }));
  const [exact, summary] = [{ ...summaries, compactions }, summaries].map((session) => tried(session).actual);
  expect(exact?.reliefs).toBe(1);
  expect((summary?.read ?? 0) - (exact?.read ?? 0)).toBe(78_000 + 100);
  expect(summary?.usd).toBeGreaterThan(exact?.usd ?? 0);
});

it('adds up sessions, and ignores those without calls', () => {
  const [one, two] = [long(growing(200)), long(growing(12))];
  const totals = whatIfTotals(withCtxb([one, long([]), two], DEFAULTS));
  expect(totals).toMatchObject({ sessions: 2, calls: 212, estimated: 0 });
  expect(totals?.ctxb.read).toBe(tried(one).ctxb.read + tried(two).ctxb.read);
  expect(totals?.actual.peak).toBe(418_000);
  expect(whatIfTotals([long([])])).toBeUndefined();
});

it('has the sums of the session that docs/what-if.md computes by hand', () => {
  const before = [
    ...[call(148_290, 0, 318, 195), call(149_781, 148_280, 338, 334), call(150_420, 149_773, 168, 167)],
    ...[call(150_609, 150_412, 156, 49), call(150_844, 150_601, 144, 137), call(151_520, 150_836, 185, 78)],
    ...[call(152_668, 151_512, 159, 51), call(153_266, 152_660, 639, 639), call(154_499, 153_258, 161, 53)],
    call(154_719, 154_491, 150, 47),
  ];
  const after = [
    { ...call(47_114, 33_558, 553, 268), added: { answer: 151, Read: 793, summary: 2_613 } },
    { ...call(66_500, 47_104, 295, 94), uses: [{ seen: 2, result: 6, tokens: 308 }] },
    { ...call(71_315, 66_492, 1_104, 1_104), uses: [{ seen: 11, result: 37, tokens: 3_971 }] },
    ...[call(73_202, 71_307, 207, 98), call(75_408, 73_194, 182, 181), call(76_439, 75_400, 485, 485)],
    ...[call(77_226, 76_431, 153, 148), call(77_640, 77_218, 140, 52), call(77_901, 77_632, 155, 135)],
    call(78_102, 77_893, 334, 295),
  ];
  const { actual, ctxb, curve, fetched } = tried(sketched({ calls: [...before, ...after], compactedAfter: [10] }));
  expect(curve.slice(7, 17)).toEqual([
    ...[153_266, 55_114, 55_334, 56_278, 75_664, 80_479, 82_366, 84_572, 85_603, 55_114],
  ]);
  expect([curve.at(-1), fetched, ctxb.reliefs]).toEqual([55_990, 0, 2]);
  const sums = [actual, ctxb].map(({ usd }) => `**$${usd?.toFixed(2)}**`);
  expect(readFileSync('docs/what-if.md', 'utf8')).toContain(`| sum, as it is printed | ${sums.join(' | ')} |`);
});

function call(context: number, cacheRead: number, output: number, billedOutput: number): CallSketch {
  return { context, cacheRead, output, billedOutput };
}

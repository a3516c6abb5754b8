import { describe, expect, it } from 'vitest';
import {
  compareCosts,
  economicMoment,
  type ReliefForecast,
  savedPerCall,
} from '../../../../src/core/governor/relief/economic-moment.ts';

/** Sonnet: a written token costs 12.5 times a cached one. */
const rates = { write: 3_750_000, cacheRead: 300_000, output: 15_000_000 };
const none = { calls: 0, tokens: 0 };

/** A conversation of which 10,000 tokens stay beside a system prompt of 12,000. */
const usual = {
  sizeAfter: 22_000,
  prefix: 12_000,
  growth: 2_000,
  calls: 1_000,
  how: 'exact',
  answerTokens: 0,
  kept: 0,
  attached: 0,
  refetched: none,
  callTokens: 150,
  rates,
} as const;

/** Cost of each call of a cycle from relief to relief, counted call by call. */
function perCall({ sizeAfter, prefix, growth, how, answerTokens, rates }: Cycle, at: number): number {
  const { cacheRead, write, output } = rates;
  let [sum, calls, context] = [(sizeAfter - prefix) * (write - cacheRead) + answerTokens * output, 0, sizeAfter];
  for (; context < at; context += growth) {
    sum += context * cacheRead;
    calls++;
  }
  return (how === 'exact' ? sum : sum + context * cacheRead) / calls;
}

type Cycle = Omit<ReliefForecast, 'full' | 'ceiling'>;

const handedOver = { ...usual, sizeAfter: 16_000, how: 'handoff', answerTokens: 2_000 } as const;

describe('the moment from which a relief pays', () => {
  it.each([
    { name: 'the conversation is three times what stays of it', changes: {}, at: 43_448 },
    { name: 'a context that hardly grows', changes: { growth: 10 }, at: 42_000 },
    { name: 'a context that grows fast', changes: { growth: 8_000 }, at: 64_896 },
    { name: 'what stays is much', changes: { sizeAfter: 60_000 }, at: 156_000 },
    { name: 'most of that is attached to prompts', changes: { sizeAfter: 60_000, attached: 40_000 }, at: 106_990 },
    { name: 'reading costs next to nothing', changes: { rates: { ...rates, cacheRead: 30_000 } }, at: 92_428 },
    { name: 'few calls are left', changes: { calls: 3 }, at: 60_334 },
    { name: 'none is left', changes: { calls: 0 }, at: 137_000 },
    { name: 'three reads have to be done again', changes: { refetched: { calls: 3, tokens: 6_000 } }, at: 61_912 },
    { name: 'a document is to be written, after a reading of all', changes: handedOver, at: 41_456 },
    { name: 'nothing is kept', changes: { sizeAfter: 12_000 }, at: 12_000 },
  ])('$name: $at', ({ changes, at }) => {
    expect(economicMoment({ ...usual, ...changes })).toBe(at);
  });

  it.each([1_000, 2_000, 5_000, 12_000])('no other level costs less per call with a growth of %i', (growth) => {
    for (const outlook of [
      { ...usual, growth, sizeAfter: 14_000 },
      { ...handedOver, growth },
    ]) {
      const at = economicMoment(outlook);
      const best = perCall(outlook, at);
      for (const factor of [0.5, 0.7, 1.5, 2, 4]) expect(perCall(outlook, at * factor)).toBeGreaterThan(best * 0.98);
    }
  });

  it('comes later if more must be fetched again', () => {
    const moments = [0, 1, 3, 9].map((calls) =>
      economicMoment({ ...usual, refetched: { calls, tokens: 2_000 * calls } }),
    );
    expect(moments).toEqual([...moments].sort((a, b) => a - b));
    expect(new Set(moments).size).toBe(4);
  });

  it('is the same for any unit of the prices', () => {
    const cents = { write: 375, cacheRead: 30, output: 1_500 };
    expect(economicMoment({ ...usual, rates: cents })).toBe(economicMoment(usual));
  });
});

describe('the saving of a relief per call', () => {
  it.each([
    { name: 'nearly what is not read any more', changes: { full: 94_000 }, usd: 0.0216 - 0.0345 / 10.724 },
    { name: 'over one call, less than nothing', changes: { full: 43_000, calls: 1 }, usd: 0.0063 - 0.0345 },
  ])('$name', ({ changes, usd }) => {
    expect(savedPerCall({ ...usual, ...changes }) / 1e6).toBeCloseTo(usd, 4);
  });
});

describe('two ways after the cache has expired', () => {
  const outlook: ReliefForecast = {
    ...{ full: 120_000, sizeAfter: 50_000, prefix: 0, ceiling: 156_000, growth: 0, calls: 2, kept: 0, attached: 0 },
    ...{ how: 'summary', answerTokens: 4_000, refetched: none, callTokens: 150, rates },
  };

  it.each<{ name: string; changes: Partial<ReliefForecast>; goOn: number; relieve: number }>([
    {
      name: 'one call: the summary and what it leaves come on top',
      changes: { calls: 1 },
      goOn: 0.45,
      relieve: 0.6975,
    },
    { name: 'each further call reads less', changes: { calls: 11 }, goOn: 0.45 + 0.36, relieve: 0.6975 + 0.15 },
    {
      name: 'a context that is no larger than what is left',
      changes: { full: 50_000, calls: 2 },
      goOn: 0.2025,
      relieve: 0.45,
    },
    {
      name: 'what is full soon is relieved anyway',
      changes: { full: 150_000, growth: 10_000, calls: 2 },
      goOn: 0.5625 + 0.045 + 0.0375 + 0.048 + 0.06 + 0.1875,
      relieve: 0.5625 + 0.06 + 0.1875 + 0.015 + 0.0375,
    },
    {
      name: 'exactly: only what is left is bought again',
      changes: { how: 'exact', answerTokens: 0, prefix: 12_000, calls: 1 },
      goOn: 0.45,
      relieve: 0.1875,
    },
    {
      name: 'exactly, and a file is read again',
      changes: { how: 'exact', answerTokens: 0, calls: 1, refetched: { calls: 1, tokens: 4_000 } },
      goOn: 0.45,
      relieve: 0.1875 + 0.015 + 0.0006 + 0.00225 + 0.015,
    },
  ])('$name', ({ changes, goOn, relieve }) => {
    const ways = compareCosts({ ...outlook, ...changes });
    expect(ways.continuing / 1e6).toBeCloseTo(goOn, 6);
    expect(ways.relieving / 1e6).toBeCloseTo(relieve, 6);
  });
});

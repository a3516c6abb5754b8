import { describe, expect, it } from 'vitest';
import { microUsdOf, PRICES, priceOf } from '../../../src/core/governor/cost/prices.ts';
import { fieldsOf } from '../../../src/core/protocol/fields.ts';
import { FIXTURE_RECORDINGS, linesOf, SHARED_RECORDINGS, TRANSCRIPTS } from '../../support/recordings.ts';

describe('the price of a model', () => {
  it.each([
    { model: 'claude-sonnet-4-5', input: 3_000_000 },
    { model: 'claude-sonnet-4-5-20250929', input: 3_000_000 },
    { model: 'claude-opus-4-6[1m]', input: 5_000_000 },
    { model: 'claude-opus-4-20250514', input: 15_000_000 },
    { model: 'claude-opus-4-1-20250805', input: 15_000_000 },
    { model: 'claude-opus-4-8', input: 5_000_000 },
    { model: 'claude-3-5-haiku-latest', input: 800_000 },
    { model: 'us.anthropic.claude-haiku-4-5-20251001-v1:0', input: 1_000_000 },
    { model: 'claude-opus-5-5', input: 4_000_000 },
    { model: 'claude-opus-5', input: 5_000_000 },
    { model: 'claude-sonnet-5', input: 2_000_000 },
    { model: 'claude-opus-4-10', input: undefined },
    { model: 'claude-opus-4-9', input: undefined },
    { model: 'claude-opus-5-6', input: undefined },
    { model: 'claude-sonnet-4-9', input: undefined },
    { model: 'claude-fable-5-3[1m]', input: undefined },
    { model: 'claude-sonnet-4-20250514', input: 3_000_000 },
    { model: 'claude-sonnet-4-6', input: 3_000_000 },
    { model: 'glm-5.1', input: undefined },
    { model: '', input: undefined },
    { model: '__proto__', input: undefined },
  ])('of $model', ({ model, input }) => {
    expect(priceOf(model, PRICES)?.input).toBe(input);
  });

  it('is the one of the longest name that fits', () => {
    const price = { input: 1, output: 1, cacheWrite: 1, cacheWriteHour: 1, cacheRead: 1 };
    const prices = { glm: price, 'glm-5': { ...price, input: 5 }, 'glm-4': { ...price, input: 4 } };
    expect(priceOf('glm-5.1', prices)?.input).toBe(5);
    expect(priceOf('glm-6', prices)?.input).toBe(1);
  });

  it('is made of whole numbers', () => {
    const figures = Object.values(PRICES).flatMap(({ longPrompt, ...price }) => [
      ...Object.values(price),
      ...Object.values(longPrompt ?? {}),
    ]);
    expect(figures.filter((figure) => !Number.isSafeInteger(figure) || figure <= 0)).toEqual([]);
  });
});

/** What 2.1.330 says that a thousand tokens of each kind cost, and 150,000 of one kind, in micro-dollars. */
describe.each([
  { model: 'claude-opus-5-5', each: [4_000, 20_000, 5_000, 8_000, 200], long: { input: 600_000, read: 30_000 } },
  { model: 'claude-opus-5', each: [5_000, 25_000, 6_250, 10_000, 500], long: { input: 750_000, read: 75_000 } },
  { model: 'claude-sonnet-5', each: [2_000, 10_000, 2_500, 4_000, 200], long: { input: 300_000, read: 30_000 } },
  { model: 'claude-sonnet-5-5', each: [2_000, 10_000, 2_500, 4_000, 100], long: { input: 300_000, read: 15_000 } },
  { model: 'claude-fable-5', each: [10_000, 50_000, 12_500, 20_000, 1_000], long: { input: 1_500_000, read: 150_000 } },
  { model: 'claude-fable-5-1', each: [10_000, 50_000, 12_500, 20_000, 250], long: { input: 1_500_000, read: 37_500 } },
  { model: 'claude-fable-5-2', each: [8_000, 40_000, 10_000, 16_000, 200], long: { input: 1_200_000, read: 30_000 } },
  { model: 'claude-haiku-5-5', each: [100, 500, 125, 200, 10], long: { input: 75_000, read: 7_500 } },
])('what $model costs', ({ model, each, long }) => {
  const nothing = { input: 0, output: 0, cacheCreation: 0, cacheRead: 0 };
  const costOf = (usage: object) => {
    const price = priceOf(model, PRICES);
    return price && microUsdOf({ ...nothing, ...usage }, price);
  };

  it('is what claude counts for a thousand tokens of each kind', () => {
    const thousand = [
      { input: 1_000 },
      { output: 1_000 },
      { cacheCreation: 1_000 },
      { cacheCreation: 1_000, cacheCreationHour: 1_000 },
      { cacheRead: 1_000 },
    ];
    expect(thousand.map(costOf)).toEqual(each);
  });

  it('is what claude counts for a long prompt', () => {
    expect(costOf({ input: 150_000 })).toBe(long.input);
    expect(costOf({ cacheRead: 150_000 })).toBe(long.read);
  });
});

it('a prompt of 100,001 tokens costs Haiku 5.5 five times as much, with all that it answers', () => {
  const price = priceOf('claude-haiku-5-5', PRICES);
  const costOf = (input: number, output: number) =>
    price && microUsdOf({ input, output, cacheCreation: 0, cacheRead: 0 }, price);
  expect(costOf(100_000, 0)).toBe(10_000);
  expect(costOf(100_001, 0)).toBe(50_001);
  expect(costOf(150_000, 1_000)).toBe(77_500);
});

describe('the cost of a call', () => {
  const price = {
    input: 3_000_000,
    output: 15_000_000,
    cacheWrite: 3_750_000,
    cacheWriteHour: 6_000_000,
    cacheRead: 300_000,
  };

  it.each([
    {
      title: 'each kind',
      usage: { input: 1_000, output: 100, cacheCreation: 2_000, cacheRead: 10_000 },
      microUsd: 15_000,
    },
    {
      title: 'an hour',
      usage: { input: 0, output: 0, cacheCreation: 1_000, cacheRead: 0, cacheCreationHour: 400 },
      microUsd: 4_650,
    },
    {
      title: 'an hour that is too much',
      usage: { input: 0, output: 0, cacheCreation: 10, cacheRead: 0, cacheCreationHour: 40 },
      microUsd: 60,
    },
    { title: 'halves, rounded once', usage: { input: 0, output: 0, cacheCreation: 0, cacheRead: 5 }, microUsd: 2 },
    {
      title: 'absurd counts',
      usage: { input: 1e300, output: 0, cacheCreation: 0, cacheRead: 0 },
      microUsd: Number.MAX_SAFE_INTEGER,
    },
  ])('$title', ({ usage, microUsd }) => {
    expect(microUsdOf(usage, price)).toBe(microUsd);
  });
});

interface ModelUse {
  readonly file: string;
  readonly model: string;
  readonly use: Readonly<Record<string, number>>;
}

/** What each result of a recording says that each model has cost. */
function modelUses(path: string, file: string): ModelUse[] {
  return linesOf(path).flatMap((line) => {
    if (!line.includes('"modelUsage"')) return [];
    const { type, modelUsage } = fieldsOf(JSON.parse(line));
    if (type !== 'result') return [];
    return Object.entries(fieldsOf(modelUsage)).map(([model, use]) => ({ file, model, use: use as ModelUse['use'] }));
  });
}

const USES = [...FIXTURE_RECORDINGS, ...SHARED_RECORDINGS, ...TRANSCRIPTS]
  .filter(({ name }) => !name.includes('dialogue'))
  .flatMap(({ path, name }) => modelUses(path, name));

function computed({ model, use }: ModelUse, cacheCreationHour: number): number | undefined {
  const { inputTokens = 0, outputTokens = 0, cacheCreationInputTokens = 0, cacheReadInputTokens = 0 } = use;
  const usage = { input: inputTokens, output: outputTokens, cacheCreation: cacheCreationInputTokens };
  const price = priceOf(model, PRICES);
  return price && microUsdOf({ ...usage, cacheRead: cacheReadInputTokens, cacheCreationHour }, price);
}

describe('what claude itself says that a model has cost', () => {
  it('is met to the micro-dollar in every recording of a model with a price', () => {
    const priced = USES.filter(({ model }) => priceOf(model, PRICES) !== undefined);
    expect(priced.length).toBeGreaterThan(20);
    const missed = priced.filter((entry) => {
      const { cacheCreationInputTokens = 0, costUSD = 0 } = entry.use;
      // The sums do not say for how long the cache was to last: all of it was of one kind in each of these.
      return ![0, cacheCreationInputTokens].some((hour) => computed(entry, hour) === Math.round(costUSD * 1_000_000));
    });
    expect(missed).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { microUsdOf, PRICES, type Price, priceOf } from '../../../../src/core/governor/cost/prices.ts';
import { EMPTY_GAUGE, prefixOf } from '../../../../src/core/governor/gauge/gauge.ts';
import { isComparable, savedUsd, updateBaseline } from '../../../../src/core/governor/relief/accounts.ts';
import {
  type Baseline,
  baselineAfterCall,
  costsSoFar,
  NEW_BASELINE,
} from '../../../../src/core/governor/relief/baseline.ts';
import { callCost, SUMMARY_TOKENS, summaryCost } from '../../../../src/core/governor/relief/call-cost.ts';
import { NO_CONTENTS } from '../../../../src/core/governor/relief/content.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import { fieldsOf } from '../../../../src/core/protocol/fields.ts';
import { drawnLong } from '../../../support/economy/drawn.ts';
import { drawnKind } from '../../../support/economy/kinds.ts';
import {
  mostUsd,
  type PlayedSetup,
  playAlone,
  playGoverned,
  savedByAccount,
} from '../../../support/economy/played-claude.ts';
import { reportedJob } from '../../../support/economy/reported.ts';
import { jobOf, type Shape } from '../../../support/economy/shapes.ts';
import {
  afterTurn,
  boundaryLine,
  callLine,
  contextAnswer,
  type Driver,
  drive,
  initLine,
  type Line,
  policyWith,
  resultLine,
  runWith,
} from '../../../support/governor.ts';

/** What most calls have in common. */
const USUAL = { model: 'sonnet-4-6', turn: 0, endsAtLevel: false, isUsuallyCached: true, given: 0 };
const SONNET = { window: 200_000, model: 'claude-sonnet-4-6' };

/** What a run says that it saved, as a multiple of what it saved. */
function toldOverMeasured(shape: Shape, world: PlayedSetup): number {
  const [alone, run] = [playAlone(jobOf(shape), world), playGoverned(jobOf(shape), world)];
  if (run.driver === undefined) throw new Error('claude alone tells nothing');
  return savedUsd(run.driver.state) / (alone.usd - run.usd);
}

describe('a run reports its saving', () => {
  it.each([
    ['five of eight large files in turn', { prompts: 4, edits: 8, files: 8, tokens: 20_000, inTurn: 5, runs: 8 }],
    ['three of nineteen large files in turn', { prompts: 3, edits: 8, files: 19, tokens: 30_000, inTurn: 3, runs: 4 }],
  ])('if claude alone writes many summaries: %s', (_, shape) => {
    const times = toldOverMeasured(shape, SONNET);
    expect(times).toBeGreaterThan(0.98);
    expect(times).toBeLessThan(1.02);
  });
});

it('a run reports its saving if the model counts fewer tokens than estimated', () => {
  const shape = { prompts: 12, edits: 3, files: 12, tokens: 2_000, runs: 8, printed: 1_500 };
  const times = toldOverMeasured(shape, { window: 200_000, model: 'claude-opus-5-5' });
  expect(times).toBeGreaterThan(0.95);
  expect(times).toBeLessThan(1.05);
});

it('a run that compacts a resumed session before its first call reports its saving', () => {
  const { job, world } = reportedJob('byPlan', 1, 200_000);
  const setup = { ...world, resumed: 100_000 };
  const [alone, run] = [playAlone(job, setup), playGoverned(job, setup)];
  expect(run.reliefs[0]?.call).toBe(0);
  expect(Math.abs(savedByAccount(run) - (alone.usd - run.usd)) / alone.usd).toBeLessThan(0.05);
});

/** Models that the user chooses, by the number of the prompt before. */
function chosenAt(models: Readonly<Record<number, string>>): Pick<PlayedSetup, 'chosen'> {
  const windowOf = (model: string) => ({ model, window: model === SONNET.model ? SONNET.window : 1_000_000 });
  return { chosen: Object.fromEntries(Object.entries(models).map(([at, model]) => [at, windowOf(model)])) };
}

const SEVEN_PARTS = { prompts: 7, edits: 3, files: 4, tokens: 6_000, fresh: true, runs: 5, printed: 1_000 };

it.each([
  ['a larger window', jobOf(SEVEN_PARTS), { ...SONNET, ...chosenAt({ 2: 'claude-opus-5-5', 5: SONNET.model }) }],
  ['another window', jobOf(SEVEN_PARTS), { ...SONNET, ...chosenAt({ 1: 'claude-opus-5-5', 2: SONNET.model }) }],
  [
    'a smaller window',
    drawnKind('bisectLog', 3).job,
    { ...drawnKind('bisectLog', 3).world, ...chosenAt({ 2: SONNET.model, 4: 'claude-opus-5-5' }) },
  ],
])('a run reports its saving if the user chooses a model with %s for some prompts', (_, job, world) => {
  const [alone, run] = [playAlone(job, world), playGoverned(job, world)];
  expect(Math.abs(savedByAccount(run) - (alone.usd - run.usd)) / alone.usd).toBeLessThan(0.02);
});

it.each([30_000, 60_000, 100_000])('a run that resumes %d tokens reports its saving', (resumed) => {
  const world = { ...SONNET, prefix: 25_000, resumed };
  const times = toldOverMeasured(SEVEN_PARTS, world);
  expect(times).toBeGreaterThan(0.95);
  expect(times).toBeLessThan(1.05);
});

it.each([99_000, 123_000])('a run whose system prompt and tools have %d tokens keeps to its bound', (prefix) => {
  const job = jobOf({ prompts: 12, edits: 5, files: 4, tokens: 3_000, runs: 5, printed: 1_000 });
  const setup = { ...SONNET, prefix };
  const [alone, run] = [playAlone(job, setup), playGoverned(job, setup)];
  expect(run.usd).toBeLessThanOrEqual(1.02 * alone.usd);
  expect(Math.abs(savedByAccount(run) - (alone.usd - run.usd)) / alone.usd).toBeLessThan(0.02);
});

it.each([
  { prefix: 33_000, does: 'answers every prompt', isComparable: true },
  { prefix: 141_000, does: 'fills its window within two calls of each summary', isComparable: false },
])('a run is comparable only if claude alone can do its work: one that $does', ({ prefix, isComparable: expected }) => {
  const run = playGoverned(jobOf({ ...SEVEN_PARTS, prompts: 3, tokens: 4_000 }), { ...SONNET, prefix });
  expect(run.driver && isComparable(run.driver.state)).toBe(expected);
});

describe('with a model that thinks before each call', () => {
  it('a run reports its saving', () => {
    const { job, world } = reportedJob('habit', 1, 200_000);
    const setup = { ...world, thoughts: 4_000 };
    const [alone, run] = [playAlone(job, setup), playGoverned(job, setup)];
    expect(Math.abs(savedByAccount(run) - (alone.usd - run.usd)) / alone.usd).toBeLessThan(0.1);
  });

  it.each([1_000, 4_000])('a run keeps to its bound: %d tokens', (thoughts) => {
    const { job, world } = drawnKind('growingDiff', 1);
    const run = playGoverned(job, { ...world, thoughts });
    expect(run.usd).toBeLessThan(mostUsd(run, playAlone(job, { ...world, thoughts }).usd));
  });
});

it('a summary of claude alone after a pause leaves the system prompt in the cache', () => {
  const price = priceOf(SONNET.model, PRICES) as Price;
  const gauge = { ...EMPTY_GAUGE, used: 170_000, first: 30_000 };
  const usage = { input: 0, cacheCreation: 170_000, cacheRead: 0, output: 100 };
  const call = { usage, price, level: 167_000, isOwn: false, isIdle: true, gauge, contents: NO_CONTENTS, ...USUAL };
  const { baseline } = costsSoFar(baselineAfterCall({ ...NEW_BASELINE, context: 170_000 }, call), gauge);
  const next = { input: 0, cacheCreation: 30_000 + SUMMARY_TOKENS - 24_000, cacheRead: 24_000, output: 0 };
  expect(baseline).toBe(summaryCost(170_000, price, true) + microUsdOf(next, price));
});

it('claude alone leaves a prompt unanswered if it never compacts by itself, and its window is full', () => {
  const price = priceOf(SONNET.model, PRICES) as Price;
  const usage = { input: 0, cacheCreation: 0, cacheRead: 100_000, output: 100 };
  const call = { usage, price, isOwn: false, isIdle: false, gauge: EMPTY_GAUGE, contents: NO_CONTENTS, ...USUAL };
  const gaveUp = (level: number) => baselineAfterCall(NEW_BASELINE, { ...call, level, endsAtLevel: true }).gaveUp;
  expect([gaveUp(176_000), gaveUp(100_000)]).toEqual([false, true]);
});

describe("claude's breaker", () => {
  const FILLED = [callLine(150_000), boundaryLine('auto', 170_000)];
  const ASKED = [callLine(150_000), boundaryLine('manual', 150_000)];
  const fourTimes = <T>(lines: T): T[] => Array.from({ length: 4 }, () => lines);
  const filledBy = (calls: number) => [...Array.from({ length: calls }, () => callLine(150_000)), FILLED[1] as Line];

  /** Each round is a prompt with claude's lines about it. ctxb does not compact by itself. */
  function played(rounds: readonly (readonly Line[])[]): Driver {
    const policy = policyWith({ compaction: { enabled: false }, handoff: { enabled: false } });
    const driver = afterTurn(100_000, { policy });
    for (const lines of rounds) {
      driver.prompt('Go on.');
      driver.claude(...lines);
    }
    return driver;
  }

  it.each([
    { name: 'ends a turn that fills its window four times at once', rounds: [fourTimes(FILLED).flat()], is: false },
    { name: 'ends a turn whose window lasts for two calls', rounds: [fourTimes(filledBy(2)).flat()], is: false },
    { name: 'lets a turn go on whose window lasts for three calls', rounds: [fourTimes(filledBy(3)).flat()], is: true },
    { name: 'begins again with each turn', rounds: fourTimes([...FILLED, resultLine()]), is: true },
    { name: 'does not count the compactions of the user', rounds: [fourTimes(ASKED).flat()], is: true },
  ])('$name', ({ rounds, is }) => {
    expect(isComparable(played(rounds).state)).toBe(is);
  });
});

it.each([
  { size: 95_000, is: true },
  { size: 97_000, is: false },
])("claude without its own compaction refuses prompts 9,000 tokens above the caller's level: $size", ({ size, is }) => {
  const driver = drive(runWith({ resumes: true }));
  driver.begin();
  const settings = { autocompactSource: 'env', autoCompactThreshold: 87_000, isAutoCompactEnabled: false };
  driver.claude(contextAnswer(driver, { rawMaxTokens: 120_000, totalTokens: 20_000, ...settings }));
  driver.prompt('Do it.');
  driver.claude(initLine(), callLine(20_000));
  const before = driver.state;
  driver.claude(callLine(30_000));
  // Reliefs have made the run smaller than claude alone.
  const baseline = { ...before.relief.baseline, context: size - 30_000 };
  const state = { ...driver.state, relief: { ...driver.state.relief, baseline } };
  const event = decodeObject(callLine(30_000));
  expect(isComparable(updateBaseline(state, { before, event }))).toBe(is);
});

it('a summary that claude writes after a pause costs a run as much as claude alone', () => {
  const { shape, world } = drawnLong(104);
  const [alone, run] = [playAlone(jobOf(shape, 104), world), playGoverned(jobOf(shape, 104), world)];
  if (run.driver === undefined) throw new Error('claude alone has no account');
  const { state } = run.driver;
  expect(costsSoFar(state.relief.baseline, state.gauge).baseline / 1e6 / alone.usd).toBeCloseTo(1, 2);
});

/** A call that writes what is new to the cache. */
function writingCall(used: number, written: number) {
  const line = callLine(used);
  const usage = { cache_creation_input_tokens: written, cache_read_input_tokens: used - written, output_tokens: 1 };
  return { ...line, message: { ...fieldsOf(line.message), usage: { input_tokens: 0, ...usage } } };
}

it("the baseline compacts at the level that the run shows, although the call before was above claude's own level", () => {
  const driver = afterTurn(20_100);
  driver.prompt('Go on.');
  driver.claude(writingCall(140_000, 119_900), resultLine());
  driver.prompt('x'.repeat(80_000));
  driver.claude(writingCall(169_000, 29_000), boundaryLine('auto', 169_000), writingCall(60_000, 40_000), resultLine());
  const { baseline, real } = costsSoFar(driver.state.relief.baseline, driver.state.gauge);
  expect(baseline / real).toBeCloseTo(1, 2);
});

it.each([
  { left: 99_000, kept: 98_000 },
  { left: 40_000, kept: 20_000 },
])(
  'the baseline shrinks with a context that loses contents without a compaction: to $left tokens',
  ({ left, kept }) => {
    const driver = afterTurn(20_100);
    driver.prompt('Go on.');
    driver.claude(writingCall(100_000, 79_900), resultLine());
    driver.prompt('Go on.');
    driver.claude(writingCall(left, left - kept), ...Array.from({ length: 50 }, () => callLine(left)), resultLine());
    const { baseline, real } = costsSoFar(driver.state.relief.baseline, driver.state.gauge);
    expect(baseline / real).toBeCloseTo(1, 2);
  },
);

it('the baseline keeps its system prompt where the run loses more than the baseline has', () => {
  const driver = afterTurn(20_100);
  driver.prompt('Go on.');
  driver.claude(writingCall(150_000, 129_900));
  const before = driver.state;
  const event = writingCall(30_000, 10_000);
  driver.claude(event);
  const { baseline } = before.relief;
  // claude alone has had a summary.
  const given = { ...baseline, context: 35_000, open: baseline.open && { ...baseline.open, growth: 0 } };
  const state = { ...driver.state, relief: { ...driver.state.relief, baseline: given } };
  const { context, open } = updateBaseline(state, { before, event: decodeObject(event) }).relief.baseline;
  expect(context + (open?.growth ?? 0)).toBe(prefixOf(before.gauge));
});

it('subagents that run again because of a relief cost only the run', () => {
  const price = priceOf(SONNET.model, PRICES) as Price;
  const usage = { input: 0, cacheCreation: 0, cacheRead: 100_000, output: 100 };
  const call = { usage, price, level: 167_000, isOwn: false, isIdle: false, gauge: EMPTY_GAUGE, ...USUAL };
  const after = (cost: number) => {
    const contents = { ...NO_CONTENTS, step: { ...NO_CONTENTS.step, results: 1, refetched: 1, refetchCost: cost } };
    return baselineAfterCall(NEW_BASELINE, { ...call, contents }).microUsd;
  };
  expect(after(300_000).real).toBe(after(0).real + 300_000);
  expect(after(300_000).baseline).toBe(after(0).baseline);
});

it('the baseline repeats forgotten failures with its further calls', () => {
  const price = priceOf(SONNET.model, PRICES) as Price;
  const usage = { input: 0, cacheCreation: 0, cacheRead: 100_000, output: 100 };
  const gauge = { ...EMPTY_GAUGE, used: 100_000 };
  const call = { usage, price, level: 167_000, isOwn: false, isIdle: false, gauge, contents: NO_CONTENTS, ...USUAL };
  const costAfter = (calls: number) => {
    const forgotten: Baseline = { ...NEW_BASELINE, forgottenFailures: 5 };
    const after = Array.from({ length: calls }).reduce((alone: Baseline) => baselineAfterCall(alone, call), forgotten);
    return after.retryCost / callCost(100_000, price);
  };
  expect(costAfter(5)).toBeLessThan(1);
  expect(costAfter(80)).toBeGreaterThan(3);
  expect(costAfter(1_000)).toBeLessThanOrEqual(5);
});

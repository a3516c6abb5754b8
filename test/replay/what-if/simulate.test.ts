import { describe, expect, it } from 'vitest';
import type { WhatIfRun } from '../../../src/replay/what-if/what-if.ts';
import {
  type CallSketch,
  compared,
  type SessionSketch,
  sketched,
  whatIfPolicy,
} from '../../support/recorded-session.ts';

const K = 1_000;

/** Calls that grow by 10,000 tokens each. */
function rising(contexts: readonly number[], turn: (at: number) => number): readonly CallSketch[] {
  return contexts.map((context, at) => ({ context: context * K, turn: turn(at), output: 100 }));
}

const UP = [30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130];
const eachATurn = (at: number) => at + 1;
const oneTurn = () => 1;

function run(sketch: SessionSketch, policy: object): WhatIfRun {
  const policies = [whatIfPolicy({ landing: 40 * K, ...policy })];
  const [session] = compared([sketched(sketch)], { policies, withCurves: true }).sessions;
  const [found] = session?.policies ?? [];
  if (found === undefined) throw new Error('nothing was run');
  return found;
}

interface RunCase {
  readonly title: string;
  readonly sketch: SessionSketch;
  readonly policy: object;
  /** In thousands of tokens. */
  readonly curve: readonly number[];
  readonly reliefs?: Partial<WhatIfRun['figures']['reliefs']>;
  readonly exhaustedAfter?: number;
}

const TURNS: SessionSketch = { calls: rising(UP, eachATurn) };
const ONE_TURN: SessionSketch = { calls: rising(UP, oneTurn) };

const CASES: readonly RunCase[] = [
  { title: 'nothing is crossed', sketch: TURNS, policy: {}, curve: UP },
  {
    title: 'a level is crossed between turns',
    sketch: TURNS,
    policy: { thresholds: { compact: 0.5 } },
    curve: [30, 40, 50, 60, 70, 80, 90, 100, 40, 50, 60],
    reliefs: { ctxb: 1 },
  },
  {
    title: 'a level is crossed in mid-turn: nobody may act',
    sketch: ONE_TURN,
    policy: { thresholds: { compact: 0.5 } },
    curve: UP,
  },
  {
    title: 'a level is crossed in mid-turn: it is acted on when the next turn begins',
    sketch: { calls: rising([...UP, 140, 150], (at) => (at < 11 ? 1 : 2)) },
    policy: { thresholds: { compact: 0.5 } },
    curve: [...UP, 40, 50],
    reliefs: { ctxb: 1 },
  },
  {
    title: "claude's own trigger is placed, and acts in mid-turn",
    sketch: ONE_TURN,
    policy: { thresholds: { compact: 0.4, midTurn: 0.5 } },
    curve: [30, 40, 50, 60, 70, 80, 90, 100, 40, 50, 60],
    reliefs: { placed: 1 },
  },
  {
    title: 'it is that of a version',
    sketch: { calls: rising([...UP, 140, 150, 160, 170, 180], oneTurn) },
    policy: { none: true, native: '2.1.20' },
    curve: [...UP, 140, 150, 160, 40, 50],
    reliefs: { claude: 1 },
  },
  {
    title: 'it reacts to a prompt that is too large',
    sketch: { calls: rising([...UP, 150, 190, 230, 240], oneTurn) },
    policy: { none: true },
    curve: [...UP, 150, 190, 40, 50],
    reliefs: { claude: 1 },
  },
  {
    title: 'it is off: the context is too large from there on',
    sketch: { calls: rising([...UP, 150, 190, 230], oneTurn) },
    policy: { none: true, native: 'off' },
    curve: [...UP, 150, 190, 230],
    exhaustedAfter: 12,
  },
  {
    title: 'it is off: ctxb relieves what the API has refused',
    sketch: { calls: rising([...UP, 150, 190, 200], oneTurn) },
    policy: { native: 'off' },
    curve: [...UP, 150, 40, 50],
    reliefs: { ctxb: 1 },
  },
  {
    title: 'a handoff lands on the smallest context and its document',
    sketch: TURNS,
    policy: { strategy: 'handoff', thresholds: { compact: 0.5 } },
    curve: [30, 40, 50, 60, 70, 80, 90, 100, 36, 46, 56],
    reliefs: { handoff: 1 },
  },
  {
    title: 'compaction is off: a handoff at its own level',
    sketch: TURNS,
    policy: { compaction: { enabled: false }, thresholds: { warn: 0.3, handoff: 0.5 } },
    curve: [30, 40, 50, 60, 70, 80, 90, 100, 36, 46, 56],
    reliefs: { handoff: 1 },
  },
  {
    title: 'a compaction lands above its target: a handoff before the next turn',
    sketch: TURNS,
    policy: { thresholds: { compact: 0.5 }, compaction: { target: 0.3 }, landing: 70 * K },
    curve: [30, 40, 50, 60, 70, 80, 90, 100, 70, 36, 46],
    reliefs: { ctxb: 1, handoff: 1 },
  },
  {
    title: 'a landing above what there is changes nothing',
    sketch: TURNS,
    policy: { thresholds: { compact: 0.5 }, landing: 150 * K, handoff: { enabled: false } },
    curve: UP,
    reliefs: { ctxb: 2 },
  },
  {
    title: 'a window of another size',
    sketch: TURNS,
    policy: { window: 100_000, midTurn: { enabled: false }, thresholds: { compact: 0.6 } },
    curve: [30, 40, 50, 60, 40, 50, 60, 40, 50, 60, 40],
    reliefs: { ctxb: 3 },
  },
  {
    title: 'what happened is undone: growth goes on from the simulated context',
    sketch: {
      calls: [
        ...rising([100, 110, 120], eachATurn),
        { context: 50 * K, turn: 4, output: 100, added: { answer: 100, prompt: 900, summary: 3_000 } },
        { context: 60 * K, turn: 5, output: 100 },
      ],
      compactedAfter: [3],
    },
    policy: { none: true },
    curve: [100, 110, 120, 121, 131],
  },
  {
    title: 'a context that the caller began anew is kept',
    sketch: { calls: [...rising([100, 110, 120], eachATurn), ...rising([30, 40], (at) => at + 4)] },
    policy: { thresholds: { compact: 0.5 } },
    curve: [100, 40, 50, 30, 40],
    reliefs: { ctxb: 1 },
  },
  {
    title: 'what is taken out without a compaction leaves no less than was left',
    sketch: { calls: [...rising([90, 100, 110, 120], eachATurn), ...rising([80, 90], (at) => at + 5)] },
    policy: { thresholds: { compact: 0.5 } },
    curve: [90, 100, 40, 50, 50, 60],
    reliefs: { ctxb: 1 },
  },
];

describe('a session under a policy', () => {
  it.each(CASES)('$title', ({ sketch, policy, curve, reliefs = {}, exhaustedAfter = null }) => {
    const found = run(sketch, policy);
    expect(found.curve?.map((context) => context / K)).toEqual(curve);
    expect(found.figures.reliefs).toEqual({ claude: 0, placed: 0, caller: 0, ctxb: 0, handoff: 0, ...reliefs });
    expect(found).toMatchObject({
      exhaustedAfter,
      last: (curve.at(-1) ?? 0) * K,
      peakCall: curve.indexOf(Math.max(...curve)) + 1,
      figures: { peak: Math.max(...curve) * K, main: { calls: curve.length } },
    });
  });

  it('begins a turn with its prompt on top of the landing', () => {
    const calls = TURNS.calls.map((call) => ({ ...call, added: { prompt: 700 } }));
    expect(run({ calls }, { thresholds: { compact: 0.5 } }).curve?.[8]).toBe(40_700);
  });

  it('adds up what is read and what it costs, reliefs apart', () => {
    const calls: readonly CallSketch[] = [
      { context: 100 * K, cacheRead: 0, output: 1_000 },
      { context: 150 * K, turn: 2, output: 1_000 },
    ];
    const { figures } = run({ calls }, { thresholds: { compact: 0.5 }, cost: { prices: PRICE } });
    // The summary: all is read from the cache but what the model wrote last; then the landing is written but 33,334 tokens.
    expect(figures.relief).toEqual({
      calls: 1,
      read: 101 * K,
      cacheRead: 100 * K,
      usd: (100 * K * 0.1 + 1_000 * 1.25 + 2_581 * 5) / 1e6,
    });
    const landing = { hit: 33_334, input: 4, written: 40 * K - 33_334 - 4 };
    expect(figures.main).toEqual({
      calls: 2,
      read: 140 * K,
      cacheRead: landing.hit,
      usd: expect.closeTo(
        (4 + (100 * K - 4) * 1.25 + landing.input + landing.written * 1.25 + landing.hit * 0.1 + 2_000 * 5) / 1e6,
        5,
      ),
    });
  });

  it('finds the cache as cold as it was', () => {
    const calls: readonly CallSketch[] = [
      { context: 100 * K, cacheRead: 0 },
      { context: 110 * K, turn: 2, cacheRead: 25 * K },
      { context: 120 * K, turn: 2 },
    ];
    const { figures } = run({ calls }, { thresholds: { compact: 0.5 }, landing: 20 * K });
    expect(figures.relief.cacheRead).toBe(25 * K);
  });

  it('caches nothing where nothing was cached', () => {
    const session = sketched(TURNS);
    const series =
      session.series?.map((call) => ({ ...call, input: call.context, cacheCreation: 0, cacheRead: 0 })) ?? [];
    const policies = [whatIfPolicy({ thresholds: { compact: 0.5 }, landing: 40 * K })];
    const { totals } = compared([{ ...session, series }], { policies });
    expect(totals.policies[0]?.figures).toMatchObject({ main: { cacheRead: 0 }, relief: { calls: 1, cacheRead: 0 } });
  });
});

/** In US dollars for a million tokens; what it does not say is 1.25, 2 and 0.1 of the input. */
const PRICE = { claude: { input: 1, output: 5 } };

describe('tool budgets', () => {
  const calls: readonly CallSketch[] = [
    { context: 30 * K },
    {
      context: 70 * K,
      results: [
        ['Grep', 20 * K],
        ['Bash', 15 * K],
      ],
    },
    { context: 80 * K, results: [['Grep', 5 * K]] },
  ];

  it.each([
    { title: 'cut each result to what may be', tools: {}, context: 51 * K, cut: { results: 2, tokens: 19 * K } },
    {
      title: 'have their own size for a tool',
      tools: { Grep: 4 * K },
      context: 47 * K,
      cut: { results: 3, tokens: 24 * K },
    },
    { title: 'are off', tools: { mode: 'off' }, context: 70 * K, cut: { results: 0, tokens: 0 } },
    { title: 'only advise', tools: { mode: 'advise' }, context: 70 * K, cut: { results: 0, tokens: 0 } },
  ])('$title', ({ tools, context, cut }) => {
    const found = run({ calls }, { tools });
    expect(found.curve?.[1]).toBe(context);
    expect(found.figures.cut).toEqual(cut);
  });

  it('leave nothing in the context that was not there', () => {
    const found = run({ calls: [{ context: 30 * K }, { context: 31 * K, results: [['Grep', 20 * K]] }] }, {});
    expect(found.curve).toEqual([30 * K, 30 * K]);
  });
});

import { describe, expect, it } from 'vitest';
import { sumUsd } from '../../../src/replay/copies.ts';
import { type CallSketch, compared, sketched, whatIfPolicy } from '../../support/recorded-session.ts';

/** Turns of one call each, each 10,000 tokens larger than the one before. */
const turns = (count: number): readonly CallSketch[] =>
  Array.from({ length: count }, (_, at) => ({ context: 30_000 + at * 10_000, turn: at + 1, output: 100 }));

const POLICIES = [
  { name: 'early', thresholds: { compact: 0.4 }, landing: 35_000 },
  { name: 'late', thresholds: { compact: 0.7 }, landing: 35_000 },
  { name: 'never', none: true, native: 'off' },
].map(whatIfPolicy);

const compare = (calls: readonly (readonly CallSketch[])[], withCurves = false) =>
  compared(
    calls.map((one) => sketched({ calls: one })),
    { policies: POLICIES, withCurves },
  );

describe('several policies', () => {
  it('are in order, and the best of them is named', () => {
    const { sessions, totals } = compare([turns(17)]);
    const [session] = sessions;
    expect(session?.policies.map(({ name }) => name)).toEqual(['early', 'late', 'never']);
    expect(session?.best).toEqual({ cost: 'early', peak: 'early' });
    expect(totals).toMatchObject({ sessions: 1, best: { cost: 'early', peak: 'early' } });
    expect(totals.policies.map(({ exhausted }) => exhausted)).toEqual([0, 0, 1]);
  });

  it('that let a context grow too large are never the best', () => {
    const never = POLICIES.slice(2);
    const session = sketched({ calls: turns(17) });
    const { totals } = compared([session], { policies: never });
    expect(totals.best).toEqual({ cost: null, peak: null });
  });

  it('have no cheapest where no model has a price', () => {
    const session = sketched({ calls: turns(5), model: 'somebody-s' });
    const { totals, sessions } = compared([session], { policies: POLICIES });
    expect(totals.best).toEqual({ cost: null, peak: 'early' });
    expect(sessions[0]?.actual.figures.main.usd).toBeNull();
  });

  it('are added up over sessions; one without calls counts for nothing', () => {
    const both = compare([turns(17), [], turns(5)]);
    const [one, two] = [compare([turns(17)]).totals.actual, compare([turns(5)]).totals.actual];
    const { actual, sessions } = both.totals;
    expect(both.sessions.map((session) => session !== undefined)).toEqual([true, false, true]);
    expect(sessions).toBe(2);
    expect(actual.figures.main.read).toBe(one.figures.main.read + two.figures.main.read);
    expect(actual.figures.main.usd).toBe(sumUsd([one.figures.main.usd, two.figures.main.usd]));
    expect(actual).toMatchObject({ figures: { peak: 190_000 }, meanPeak: (190_000 + 70_000) / 2 });
  });

  it('have curves only where they are asked for', () => {
    const curves = (withCurves: boolean) =>
      compare([turns(4)], withCurves).sessions.flatMap((session) =>
        session === undefined ? [] : [session.actual, ...session.policies].map(({ curve }) => curve?.length),
      );
    expect(curves(true)).toEqual([4, 4, 4, 4]);
    expect(curves(false)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it("count with a policy's own prices before the others", () => {
    const own = whatIfPolicy({ none: true, cost: { prices: { claude: { input: 10, output: 0 } } } });
    const prices = { 'claude-opus': { input: 1_000_000, output: 0, cacheWrite: 0, cacheWriteHour: 0, cacheRead: 0 } };
    const session = sketched({ calls: [{ context: 1_000_000 }], window: 2_000_000 });
    const { totals } = compared([session], { policies: [own], prices, withCurves: false });
    expect(totals.actual.figures.main.usd).toBeCloseTo(4e-6, 9);
    expect(totals.policies[0]?.figures.main.usd).toBeCloseTo(12.5, 3);
  });
});

describe('what is said of exact and assumed figures', () => {
  const compacted = sketched({
    calls: [{ context: 90_000 }, { context: 30_000, added: { summary: 900 } }, { context: 29_000 }, { context: 3_000 }],
    compactedAfter: [1],
  });
  const plain = sketched({ calls: [{ context: 20_000 }] });

  it.each([
    {
      title: 'a session with its own compaction',
      sessions: [compacted],
      said: [
        'Exact: what happened, and by how much the context grew before 3 of 4 calls.',
        'Undone under every policy: 1 relief that happened; the growth of the call after each is estimated from its lines.',
        'Kept: 1 context that the caller began.',
        'Kept: 1 drop of the context without a compaction.',
        'Assumed: the first call after a compaction has 30,000 tokens (the median of its own 1); after a handoff, the smallest context of the session and 6,000 more.',
      ],
    },
    {
      title: 'one without',
      sessions: [plain],
      said: [
        'Exact: what happened, and by how much the context grew before 1 of 1 call.',
        'Assumed: the first call after a compaction has 50,821 tokens (the median of 14 in published ones); after a handoff, the smallest context of the session and 6,000 more.',
      ],
    },
    {
      title: 'many calls',
      sessions: [sketched({ calls: Array.from({ length: 1_200 }, () => ({ context: 20_000 })) })],
      said: ['Exact: what happened, and by how much the context grew before 1,200 of 1,200 calls.'],
    },
    {
      title: 'both',
      sessions: [compacted, plain],
      said: [
        'Exact: what happened, and by how much the context grew before 4 of 5 calls.',
        "Assumed: the first call after a compaction has the median of the session's own where it has any (1 session), else 50,821 tokens (the median of 14 in published ones); after a handoff, the smallest context of the session and 6,000 more.",
      ],
    },
  ])('$title', ({ sessions, said }) => {
    const { totals } = compared(sessions, { policies: [] });
    expect(totals.assumptions).toEqual(expect.arrayContaining(said));
    expect(totals.assumptions.length).toBeGreaterThan(said.length);
  });
});

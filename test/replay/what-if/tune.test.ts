import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { type Candidate, type Tuning, tune } from '../../../src/replay/what-if/tune.ts';
import { createRandom, type Random } from '../../support/random.ts';
import { type CallSketch, sketched, whatIfPolicy } from '../../support/recorded-session.ts';
import { firstOf, inSoak } from '../../support/size.ts';

const SUMMARY = { compaction: { how: 'summary' } };
const LEVELS = [0.3, 0.4, 0.5, 0.6, 0.7];

const candidates: readonly Candidate[] = LEVELS.map((compact) => ({
  levels: { 'thresholds.compact': compact },
  whatIf: whatIfPolicy({ ...SUMMARY, thresholds: { compact } }),
}));

const tuned = (sessions: readonly SessionSummary[]): Tuning =>
  tune(sessions, whatIfPolicy(SUMMARY), { candidates, prices: {} });

/** Steps of 10,000 tokens up to the top, then calls that add next to nothing; a turn each. */
function climb(top: number, stay: number): CallSketch[] {
  const steps = Array.from({ length: (top - 20_000) / 10_000 + 1 }, (_, at) => 20_000 + at * 10_000);
  const rest = Array.from({ length: stay }, (_, at) => top + (at + 1) * 10);
  return [...steps, ...rest].map((context, at) => ({ context, turn: at + 1 }));
}

const PREFIX = 10_000;
const LANDING = 60_000;
const SUMMARY_TOKENS = 2_000;

/** claude compacted it to 60,000 tokens. What compacts below a level of 0.5 would miss its target with that. */
const COMPACTED = {
  calls: [{ context: 95_000 }, { context: LANDING, cacheRead: PREFIX, added: { summary: SUMMARY_TOKENS } }],
  compactedAfter: [1],
};

/** How long each session of a month stays just above the half of the window; undefined: it is `COMPACTED`. */
const stays = (random: Random, count: number, stay: (random: Random) => number): (number | undefined)[] =>
  Array.from({ length: count }, (_, at) => (at % 4 === 0 ? undefined : stay(random)));

const month = (all: readonly (number | undefined)[]): SessionSummary[] =>
  all.map((stay, at) => ({
    ...sketched(stay === undefined ? COMPACTED : { calls: climb(110_000, stay) }),
    sessionId: `session-${at}`,
  }));

/** Dollars a token of claude-opus-4-5: read from the cache, written into it, put out. */
const [READ, WRITE, OUTPUT] = [0.5e-6, 6.25e-6, 25e-6];

/**
 * What compacting at 0.5 truly saves, by hand. When the context has 100,000 tokens it is read once more for the summary.
 * The next call writes its landing anew, but for the prefix, instead of reading 100,000 and writing 10,000. Each call
 * behind it has 50,000 less to read.
 */
function savedAtHalf(all: readonly (number | undefined)[]): number {
  const relief = 100_000 * READ + SUMMARY_TOKENS * OUTPUT;
  const landing = PREFIX * READ + (LANDING - PREFIX) * WRITE - (100_000 * READ + 10_000 * WRITE);
  const saved = all.map((stay) => (stay === undefined ? 0 : stay * 50_000 * READ - relief - landing));
  const cost = all.map((stay) => {
    const contexts = stay === undefined ? [95_000, 95_000] : climb(110_000, stay).map(({ context }) => context);
    const grown = contexts.map((context, at) => context - (contexts[at - 1] ?? 0));
    return contexts.reduce(
      (sum, context, at) => sum + (context - (grown[at] ?? 0)) * READ + (grown[at] ?? 0) * WRITE,
      0,
    );
  });
  const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);
  return sum(saved) / sum(cost);
}

const LONG = (random: Random) => random.whole(40, 120);
const RARELY = (random: Random) => (random.chance(0.08) ? 400 : 0);

describe('the levels of a month of sessions', () => {
  it.each(firstOf([1, 2, 3]))(
    'a level that is best is found, and what it saves is told to within 2 points (seed %i)',
    (seed) => {
      const own = stays(createRandom(seed), 60, LONG);
      const { proposal, verdict, judged, chosen } = tuned(month(own));
      expect({ proposal, verdict }).toEqual({ proposal: { 'thresholds.compact': 0.5 }, verdict: 'proposed' });
      if (judged === null || chosen === null) throw new Error('nobody judged it');
      expect([chosen.sessions, judged.sessions, judged.dearer]).toEqual([30, 30, 0]);
      // Of all months like this one.
      const truth = savedAtHalf(stays(createRandom(99), 6_000, LONG));
      // As docs/measuring.md says.
      expect(truth).toBeCloseTo(0.303, 3);
      expect(Math.abs(judged.saved - truth)).toBeLessThan(0.02);
      expect(judged.interval[0]).toBeLessThan(truth);
      expect(judged.interval[1]).toBeGreaterThan(truth);
      const costs = chosen.inForceUsd + judged.inForceUsd;
      expect((costs - chosen.bestUsd - judged.bestUsd) / costs).toBeCloseTo(savedAtHalf(own), 3);
    },
  );

  it.each([
    { name: 'that stay small', calls: climb(40_000, 10) },
    { name: 'that end where a compaction would come', calls: climb(150_000, 0) },
  ])('nothing is proposed for sessions $name', ({ calls }) => {
    const sessions = Array.from({ length: 30 }, (_, at) => ({ ...sketched({ calls }), sessionId: `${at}` }));
    expect(tuned(sessions)).toMatchObject({ proposal: null, verdict: 'cheapest', best: null, judged: null });
  });

  inSoak('a gain that one session in twelve brings is not told from chance in a month, but in a year', () => {
    const verdicts = (count: number, seeds: readonly number[]) =>
      seeds.map((seed) => tuned(month(stays(createRandom(seed), count, RARELY))).verdict);
    const short = verdicts(
      28,
      Array.from({ length: 12 }, (_, seed) => seed),
    );
    expect(short).not.toContain('proposed');
    expect(short).toContain('varies');
    expect(verdicts(240, [1])).toEqual(['proposed']);
  });

  it('a gain below the error of the simulation is none', () => {
    const brief = (random: Random) => random.whole(13, 16);
    expect(tuned(month(stays(createRandom(1), 60, brief)))).toMatchObject({ proposal: null, verdict: 'small' });
  });
});

describe('exact compactions', () => {
  const exact = (moment: number | string) =>
    whatIfPolicy({ compaction: { how: 'exact' }, thresholds: { compact: moment } });
  const moments = ['economic', 0.3, 0.4, 0.5, 0.6].map((moment) => ({
    levels: { 'thresholds.compact': moment },
    whatIf: exact(moment),
  }));
  const random = createRandom(1);
  const growing = () => Array.from({ length: random.whole(60, 140) }, (_, at) => ({ context: 20_000 + at * 2_000 }));
  const all = Array.from({ length: 40 }, (_, at) => ({
    ...sketched({ calls: growing(), window: 1_000_000 }),
    sessionId: `${at}`,
  }));

  it('as soon as it pays is found where a share is in force, and is left where it is', () => {
    const tuned = (moment: number | string) => tune(all, exact(moment), { candidates: moments, prices: {} });
    expect(tuned(0.5).proposal).toEqual({ 'thresholds.compact': 'economic' });
    expect(tuned('economic')).toMatchObject({ proposal: null, verdict: 'cheapest' });
  });
});

describe('what is judged', () => {
  const all = month(stays(createRandom(1), 40, LONG));

  it('does not depend on the order of the files', () => {
    expect(tuned([...all].reverse())).toEqual(tuned(all));
  });

  it('are sessions of a known window and price that hold no calls of others, 20 of them at least', () => {
    const [first, second, third, ...rest] = all;
    if (first === undefined || second === undefined || third === undefined) throw new Error('no sessions');
    const untold = [
      { ...first, window: { tokens: null, source: 'unknown' as const } },
      { ...second, copied: { from: [], calls: 3, compactions: 0, usd: 1 } },
      { ...third, series: (third.series ?? []).map((call) => ({ ...call, model: 'somebody-s' })) },
    ];
    expect(tuned([...untold, ...rest])).toMatchObject({ sessions: 37, leftOut: 3, verdict: 'proposed' });
    expect(tuned([...untold, ...rest.slice(0, 19)])).toMatchObject({ sessions: 19, verdict: 'few', proposal: null });
    expect(tuned(rest.slice(0, 20)).verdict).toBe('proposed');
    expect(tuned([])).toMatchObject({ sessions: 0, verdict: 'few' });
  });

  it('is the half that did not choose, and a level that the landings miss is never chosen', () => {
    const { judged, assumptions } = tuned(all);
    expect(judged?.sessions).toBe(20);
    expect(assumptions.join(' ')).toContain('60,000 tokens');
    const low = candidates.filter(({ levels }) => Number(levels['thresholds.compact']) < 0.5);
    const only = tune(all, whatIfPolicy(SUMMARY), { candidates: low, prices: {} });
    expect(only).toMatchObject({ verdict: 'cheapest', tried: 2 });
  });
});

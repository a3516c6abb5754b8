import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { whatIfTotals } from '../../src/replay/sums.ts';
import { jobOfRecorded, readRecorded } from '../outcome/recorded.ts';
import { playGoverned } from '../support/economy/played-claude.ts';
import { type CallSketch, type SessionSketch, sketched, sketchedLines } from '../support/recorded-session.ts';

/** Calls of one long turn, each larger than the one before. */
const growing = (count: number, tokens = 2_000): CallSketch[] =>
  Array.from({ length: count }, (_, at) => ({ context: 20_000 + at * tokens, output: 100 }));

/** The calls, with changes to some of them by index. */
const changed = (calls: readonly CallSketch[], changes: Readonly<Record<number, Partial<CallSketch>>>): CallSketch[] =>
  calls.map((call, at) => ({ ...call, ...changes[at] }));

function tried(sketch: SessionSketch) {
  const { whatIf } = sketched(sketch);
  if (whatIf?.curve === undefined) throw new Error('nothing was estimated');
  const { curve } = whatIf;
  return { ...whatIf, curve, drops: curve.flatMap((context, at) => (context < (curve[at - 1] ?? 0) ? [at] : [])) };
}

const long = (calls: readonly CallSketch[], more: Partial<SessionSketch> = {}) =>
  tried({ calls, window: 1_000_000, ...more });

const LONG = long(growing(200));

describe('with ctxb', () => {
  it('compacts a long turn in its middle without an extra call, at a lower cost', () => {
    const { actual, ctxb, curve, drops } = LONG;
    expect(drops.length).toBeGreaterThan(2);
    expect(ctxb.reliefs).toBe(drops.length);
    expect(ctxb.usd).toBeLessThan((actual.usd ?? 0) / 2);
    expect(Math.min(...drops.map((at) => curve[at - 1] ?? 0))).toBeGreaterThan(20_000 + 3 * 8_000);
    expect(Math.min(...drops.slice(1).map((at, index) => at - (drops[index] ?? 0)))).toBeGreaterThan(10);
  });

  it.each([
    { name: 'a short session', calls: growing(12) },
    { name: 'a context that stays small', calls: growing(10).flatMap((call) => [call, call, call]) },
  ])('does not change $name', ({ calls }) => {
    const { actual, ctxb, drops } = long(calls);
    expect(drops).toEqual([]);
    expect(ctxb).toEqual(actual);
  });

  it('relieves the context after a pause in which the cache expired', () => {
    const before = growing(14, 8_000).map((call) => ({ ...call, turn: 1, t: 1_000 }));
    const resumedAt = (t: number) =>
      [0, 2_000, 4_000].map((more) => ({ context: 130_000 + more, output: 100, turn: 2, t, cacheRead: 0 }));
    expect(long([...before, ...resumedAt(3_600_000)]).drops).toEqual([14]);
    expect(long([...before, ...resumedAt(2_000)]).drops).toEqual([]);
  });

  it('compacts at the configured level, and not at all without compactions', () => {
    const { curve, drops } = long(growing(100), { policy: { compaction: { moment: 0.1 } } });
    expect(curve[(drops[0] ?? 0) - 1]).toBe(98_000);
    expect(long(growing(100), { policy: { compaction: { enabled: false } } }).drops).toEqual([]);
  });

  it('uses the moment of list prices without prices, and reports no cost', () => {
    const unpriced = long(growing(200), { model: 'somebody-s' });
    expect(unpriced.drops).toEqual(LONG.drops);
    expect(unpriced.ctxb.usd).toBeNull();
  });

  it('starts a new context where the caller did, and removes the contents that the recording removed', () => {
    const { curve } = tried({ calls: [50_000, 60_000, 55_000, 10_000].map((context) => ({ context })) });
    expect(curve).toEqual([50_000, 60_000, 55_000, 10_000]);
  });
});

describe('content that a compaction removed', () => {
  const without = long(growing(110));
  const drop = without.drops[0] ?? 0;
  /** A result of the call at index `from` is named by calls that follow the first compaction. */
  const naming = (from: number, ...behind: readonly number[]) => {
    const says = behind.map((calls) => [drop + calls, { says: 'It is in src/queue.ts.' }]);
    return long(changed(growing(110), { [from]: { gets: 'src/queue.ts' }, ...Object.fromEntries(says) }));
  };

  it.each([0, 4])('is fetched again by a separate call, %d calls later, and stays', (behind) => {
    const { fetched, ctxb, curve } = naming(2, behind);
    expect(fetched).toBe(1);
    const fetch = (curve[drop + behind] ?? 0) - (without.curve[drop + behind] ?? 0);
    // The result has 1,900 tokens, the call 150.
    expect(fetch).toBeGreaterThan(1_950);
    expect(fetch).toBeLessThan(2_250);
    expect(ctxb.read).toBeGreaterThan(without.ctxb.read + (without.curve[drop + behind] ?? 0));
    expect(ctxb.usd).toBeGreaterThan((without.ctxb.usd ?? 0) + (1_800 * 6.25 + 150 * 25) / 1_000_000);
  });

  it('is fetched once until the next compaction, and not if the last steps contained it', () => {
    expect(naming(2, 0, 1, 2).fetched).toBe(1);
    expect(naming(drop - 1, 1).fetched).toBe(0);
    expect(naming(2, -2).fetched).toBe(0);
  });

  it('is not fetched if a prompt, which stays, has the same words', () => {
    const calls = changed(growing(110), { 2: { gets: 'src/part-1' }, [drop + 2]: { says: 'I did src/part-1.' } });
    expect(long(calls).fetched).toBe(1);
    const asked = calls.map((call) => ({ ...call, asks: 'Do src/part-1.' }));
    expect(long(asked).fetched).toBe(0);
  });

  it("is not fetched if the caller's new context never had it", () => {
    const calls = changed(growing(110), { 2: { gets: 'src/queue.ts' } });
    const fresh = [20_000, 21_000].map((context) => ({ context, says: 'It is in src/queue.ts.' }));
    expect(long([...calls.slice(0, drop + 3), ...fresh]).fetched).toBe(0);
  });
});

it('counts a call for each recorded summary', () => {
  const { actual, estimated } = long([...growing(30), ...growing(30)], { compactedAfter: [30] });
  const alone = long([...growing(30), ...growing(30)]).actual;
  expect([actual.reliefs, alone.reliefs, estimated]).toEqual([1, 0, 1]);
  expect(actual.read - alone.read).toBe(78_000 + 100);
  expect(actual.usd).toBeGreaterThan(alone.usd ?? 0);
});

it('adds up sessions, and ignores those without calls', () => {
  const [one, none, two] = [growing(200), [], growing(12)].map((calls) => sketched({ calls, window: 1_000_000 }));
  if (!one || !none || !two) throw new Error('no sessions');
  const totals = whatIfTotals([one, none, two]);
  expect(totals).toMatchObject({ sessions: 2, calls: 212, estimated: 0 });
  expect(totals?.ctxb.read).toBe((one.whatIf?.ctxb.read ?? 0) + (two.whatIf?.ctxb.read ?? 0));
  expect(totals?.actual.peak).toBe(418_000);
  expect(whatIfTotals([none])).toBeUndefined();
});

it('has the sums of the session that docs/what-if.md computes by hand', () => {
  const { actual, ctxb, curve, drops } = long(growing(100));
  expect([drops, curve[84], curve.at(-1)]).toEqual([[84], 26_333, 56_333]);
  // Dollars of tokens that are read from the cache, written to it, and of a call's 4 tokens of input and 100 of output.
  const cost = (read: number, written: number, calls: number) =>
    (read * 0.5 + written * 6.25 + calls * (4 * 5 + 100 * 25)) / 1_000_000;
  /** The sum of contexts from one to another, in steps of 2,000. */
  const sum = (from: number, to: number) => ((from + to) / 2) * ((to - from) / 2_000 + 1);
  const first = cost(sum(20_000, 184_000), 19_996 + 83 * 1_996, 84);
  const alone = [cost(186_000, 1_996, 1), cost(sum(188_000, 216_000), 15 * 1_996, 15)];
  const relieved = [cost(20_000, 6_329, 1), cost(sum(26_333, 54_333), 15 * 1_996, 15)];
  const rows = [[first, first], ...alone.map((usd, at) => [usd, relieved[at] ?? 0])];
  const page = readFileSync('docs/what-if.md', 'utf8');
  for (const row of rows) expect(page).toContain(`| ${row.map((usd) => `$${usd.toFixed(4)}`).join(' | ')} |`);
  const sums = [0, 1].map((at) => rows.reduce((total, row) => total + (row[at] ?? 0), 0));
  expect([actual.usd?.toFixed(3), ctxb.usd?.toFixed(3)]).toEqual(sums.map((usd) => usd.toFixed(3)));
  expect(page).toContain(`| ${sums.map((usd) => `**$${usd.toFixed(2)}**`).join(' | ')} |`);
});

// The played claude takes sizes from the text, so the recorded output is that of the text, too. Later compactions cannot
// be compared: their calls depend on the length of the notes, which are others there, and on fetches, which are calls.
it.each([
  { count: 140, tokens: 1_000 },
  { count: 190, tokens: 750 },
])('first compacts at the call at which a run does: $count calls that grow by $tokens tokens', ({ count, tokens }) => {
  const calls = growing(count, tokens).map((call) => ({ ...call, output: 84 }));
  const folder = mkdtempSync(join(tmpdir(), 'ctxb-what-if-'));
  const file = join(folder, 'session.ndjson');
  writeFileSync(
    file,
    sketchedLines({ calls })
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  );
  const session = readRecorded(file);
  rmSync(folder, { recursive: true });
  if (session?.model === undefined) throw new Error('nothing was recorded');
  const { window, model, prefix } = session;
  const { reliefs } = playGoverned(jobOfRecorded(session), { window, model, prefix });
  expect(reliefs[0]?.call).toBeGreaterThan(80);
  expect(tried({ calls }).drops[0]).toBe(reliefs[0]?.call);
});

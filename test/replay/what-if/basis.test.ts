import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { basisOf, keptOf, landingsOf } from '../../../src/replay/what-if/basis.ts';
import { type CallSketch, recordedSession, sketched } from '../../support/recorded-session.ts';
import { TRANSCRIPTS } from '../../support/recordings.ts';

const PUBLISHED = { landing: 50_821, summary: 2_581, prefix: 33_334 };

/** A session that was compacted to each of these contexts. */
function compactedTo(...landings: readonly number[]) {
  const calls: CallSketch[] = [{ context: 20_000 }];
  const compactedAfter: number[] = [];
  for (const context of landings) {
    calls.push({ context: 150_000 });
    compactedAfter.push(calls.length);
    calls.push({ context, cacheRead: 10_000, added: { summary: 1_000 } });
  }
  return sketched({ calls, compactedAfter });
}

describe('what is assumed of a landing', () => {
  it.each([
    { title: 'its own compactions', own: [40_000, 60_000, 45_000], others: 9, from: 'session', of: 3, tokens: 45_000 },
    { title: 'the mean of the middle two', own: [40_000, 60_000], others: 0, from: 'session', of: 2, tokens: 50_000 },
    { title: 'those of the other sessions', own: [], others: 5, from: 'replayed', of: 5, tokens: 33_000 },
    { title: 'published ones, as there are too few', own: [], others: 4, from: 'published', of: 14, tokens: 50_821 },
  ])('$title', ({ own, others, from, of, tokens }) => {
    const session = compactedTo(...own);
    const replayed = landingsOf([session, ...Array(others).fill(compactedTo(33_000))]);
    expect(basisOf(session, { landings: replayed, kept: [] })).toMatchObject({
      landing: { tokens, from, of },
      fresh: 20_000,
    });
  });

  it('takes the prompt of the turn off, and knows summary and cache', () => {
    const calls = [
      { context: 90_000 },
      { context: 30_000, turn: 2, cacheRead: 12_000, added: { prompt: 500, summary: 2_000 } },
    ];
    const session = sketched({ calls, compactedAfter: [1] });
    expect(landingsOf([session])).toEqual([{ landing: 29_500, summary: 2_000, prefix: 12_000 }]);
  });

  it('of an exact compaction it is what is there beside the smallest context, and no landing of a summary', () => {
    const calls = [{ context: 20_000 }, { context: 150_000 }, { context: 29_000, turn: 2, added: { prompt: 1_000 } }];
    const summarised = sketched({ calls, compactedAfter: [2] });
    const session = {
      ...summarised,
      compactions: summarised.compactions.map((one) => ({ ...one, how: 'exact' as const })),
    };
    expect([landingsOf([session]), keptOf([session]), keptOf([summarised])]).toEqual([[], [8_000], []]);
    const other = sketched({ calls: [{ context: 30_000 }] });
    const kept = (own: SessionSummary, seen: number) =>
      basisOf(own, { landings: [], kept: keptOf(Array(seen).fill(session)) }).kept;
    expect(kept(session, 1)).toEqual({ tokens: 8_000, from: 'session', of: 1 });
    expect(kept(other, 5)).toEqual({ tokens: 8_000, from: 'replayed', of: 5 });
    expect(kept(other, 4)).toEqual({ tokens: 12_000, from: 'published', of: 0 });
  });

  it('does not count a compaction that no call followed', () => {
    expect(landingsOf([sketched({ calls: [{ context: 90_000 }], compactedAfter: [1] })])).toEqual([]);
  });

  it.runIf(TRANSCRIPTS.length > 0)('the published figures are the medians of the published sessions', () => {
    const landings = landingsOf(TRANSCRIPTS.map(({ path }) => recordedSession(path)));
    const { landing, summary, prefix } = basisOf(sketched({ calls: [] }), { landings, kept: [] });
    expect(landings).toHaveLength(14);
    expect(landing.tokens / PUBLISHED.landing).toBeCloseTo(1, 2);
    expect(prefix.tokens / PUBLISHED.prefix).toBeCloseTo(1, 2);
    // Estimated from its text.
    expect(Math.abs(summary.tokens / PUBLISHED.summary - 1)).toBeLessThan(0.2);
  });
});

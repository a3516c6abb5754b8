import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { createRandom } from '../../support/random.ts';
import { compared, randomSession, recordedSession } from '../../support/recorded-session.ts';
import { FIXTURE_RECORDINGS, SHARED_RECORDINGS, TRANSCRIPTS } from '../../support/recordings.ts';

/** What the recording says itself. */
function recorded({ series = [], window, compactions }: SessionSummary) {
  const sum = (of: (call: (typeof series)[number]) => number) => series.reduce((all, call) => all + of(call), 0);
  const above = (share: number) => series.filter((call) => call.context > (window.tokens ?? 0) * share).length;
  const hasPrice = series.some(({ usd }) => usd !== null);
  return {
    above: { half: above(0.5), seventy: above(0.7), eightyFive: above(0.85) },
    peak: Math.max(0, ...series.map(({ context }) => context)),
    main: {
      calls: series.length,
      read: sum(({ context }) => context),
      cacheRead: sum(({ cacheRead }) => cacheRead),
      usd: hasPrice ? sum(({ usd }) => Math.round((usd ?? 0) * 1_000_000)) / 1_000_000 : null,
    },
    compactions: compactions.length,
    curve: series.map(({ context }) => context),
  };
}

function simulated(session: SessionSummary) {
  const actual = compared([session], { withCurves: true }).sessions[0]?.actual;
  if (actual === undefined) return undefined;
  const { above, peak, main, reliefs } = actual.figures;
  const { claude, placed, caller, ctxb } = reliefs;
  return { above, peak, main, compactions: claude + placed + caller + ctxb, curve: actual.curve };
}

describe('what happened, run through the simulation, is what was recorded', () => {
  it.each([...FIXTURE_RECORDINGS, ...SHARED_RECORDINGS, ...TRANSCRIPTS])('$name', ({ path }) => {
    const session = recordedSession(path);
    if (session.calls === 0) expect(session.series).toEqual([]);
    // Where the window is not known, nothing is tried.
    else if (session.window.tokens === null) expect(() => simulated(session)).toThrow('sessions without');
    else expect(simulated(session)).toEqual(recorded(session));
  });

  it('in sessions by chance', () => {
    const random = createRandom(1);
    for (let round = 0; round < 300; round++) {
      const session = randomSession(random);
      expect(simulated(session)).toEqual(recorded(session));
    }
  });
});

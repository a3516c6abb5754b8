import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/core/governor/decisions.ts';
import { stepsOf } from '../../../src/replay/what-if/simulate.ts';
import { sketched } from '../../support/recorded-session.ts';

const HANDED_OVER: Decision = {
  kind: 'handed-over',
  at: { turn: 1, call: 2 },
  reason: 'full',
  gauge: { used: 0, predicted: 0, window: 200_000, windowSource: 'result', fraction: 0, basis: 'measured' },
  by: 'agent',
  path: undefined,
  way: 'clear',
  ms: 1,
  problems: [],
};

describe('how a call came to its context', () => {
  it.each([
    { title: 'it grew', second: { context: 50_000 }, change: 'grown', growth: 10_000 },
    { title: 'something was taken out', second: { context: 30_000 }, change: 'grown', growth: -10_000 },
    { title: 'half of it was taken out', second: { context: 20_000 }, change: 'grown', growth: -20_000 },
    { title: 'it was begun anew', second: { context: 19_999 }, change: 'fresh', growth: -20_001 },
  ])('$title', ({ second, change, growth }) => {
    const { steps } = stepsOf(sketched({ calls: [{ context: 40_000 }, second] }));
    expect(steps.map((step) => step.change)).toEqual(['first', change]);
    expect(steps[1]?.growth).toBe(growth);
  });

  it('it was compacted: what came in besides the summary is its growth', () => {
    const added = { answer: 10, Read: 200, summary: 3_000, prompt: 5 };
    const calls = [{ context: 40_000 }, { context: 30_000, turn: 2, added }, { context: 31_000, turn: 2 }];
    const { steps, after } = stepsOf(sketched({ calls, compactedAfter: [1, 3], by: 'caller' }));
    expect(steps[1]).toMatchObject({
      change: 'replaced',
      growth: 215,
      reliefs: [{ by: 'caller', isExact: false }],
      beginsTurn: true,
      prompt: 5,
      warm: undefined,
    });
    expect(steps[2]).toMatchObject({ change: 'grown', reliefs: [], beginsTurn: false });
    expect(after).toEqual([{ by: 'caller', isExact: false }]);
  });

  it('it was handed over', () => {
    const session = sketched({ calls: [{ context: 40_000 }, { context: 90_000 }, { context: 30_000 }] });
    const { steps } = stepsOf({ ...session, actions: [HANDED_OVER] });
    expect(steps.map(({ change, reliefs }) => [change, ...reliefs.map(({ by }) => by)])).toEqual([
      ['first'],
      ['grown'],
      ['replaced', 'handoff'],
    ]);
  });

  it('with the results that came in for it, and the share that the cache had', () => {
    const calls = [{ context: 40_000 }, { context: 50_000, cacheRead: 10_000, results: [['Read', 9_000]] as const }];
    const { steps, caches } = stepsOf(sketched({ calls }));
    expect(steps[1]).toMatchObject({ warm: 0.25, results: [{ tool: 'Read', tokens: 9_000 }] });
    expect(caches).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import type { HealthRecord } from '../../src/core/governor/zones/zones.ts';
import { createHealthTally } from '../../src/health/health-report.ts';
import { compaction, exhausted, handoff, record, turn, zone } from '../support/health.ts';

function metricsOf(records: readonly HealthRecord[]) {
  const tally = createHealthTally();
  for (const each of records) tally.add(each);
  return tally.metrics();
}

it('has no rates or means without records', () => {
  expect(metricsOf([])).toEqual({
    sessions: 0,
    turns: 0,
    exhaustion: { count: 0, sessions: 0, rate: null },
    handoffs: {
      count: 0,
      perSession: null,
      early: 0,
      earlyRate: null,
      fraction: { mean: null },
      ms: { mean: null },
    },
    zoneTransitions: { count: 0, perSession: null },
    compactions: { auto: 0, manual: 0 },
  });
});

describe('sessions', () => {
  const at = (run: string, session: string | null) => record(turn(), { run, session });

  it.each<{ title: string; records: HealthRecord[]; sessions: number }>([
    { title: 'many records of one', records: [at('r1', 's1'), at('r1', 's1')], sessions: 1 },
    { title: 'one before its id is known', records: [at('r1', null), at('r1', 's1')], sessions: 1 },
    { title: 'one that never had an id', records: [at('r1', null)], sessions: 1 },
    { title: 'a handoff goes on under another id', records: [at('r1', 's1'), at('r1', 's2')], sessions: 1 },
    { title: 'one that was resumed in another run', records: [at('r1', 's1'), at('r2', 's1')], sessions: 1 },
    {
      title: 'resumed after a handoff',
      records: [at('r1', 's1'), at('r1', 's2'), at('r2', 's2'), at('r2', 's3')],
      sessions: 1,
    },
    { title: 'two', records: [at('r1', 's1'), at('r2', 's2')], sessions: 2 },
    {
      title: 'two that turn out to be one',
      records: [at('r1', 's1'), at('r2', 's2'), at('r3', 's1'), at('r3', 's2')],
      sessions: 1,
    },
    { title: 'a run that is called as a session is', records: [at('x', 'y'), at('y', 'x')], sessions: 2 },
    {
      title: 'the same ids in two projects',
      records: [at('r1', 's1'), { ...at('r1', 's1'), project: '/q' }],
      sessions: 2,
    },
  ])('$title: $sessions', ({ records, sessions }) => {
    expect(metricsOf(records).sessions).toBe(sessions);
    expect(metricsOf([...records].reverse()).sessions).toBe(sessions);
  });
});

it('the exhaustion rate counts sessions, not refusals', () => {
  const { exhaustion } = metricsOf([
    record(exhausted(), { run: 'r1', session: 's1' }),
    record(exhausted(), { run: 'r1', session: 's1' }),
    record(exhausted(), { run: 'r2', session: 's1' }),
    record(turn(), { run: 'r3', session: 's3' }),
    record(turn(), { run: 'r4', session: 's4' }),
    record(turn(), { run: 'r5', session: 's5' }),
  ]);
  expect(exhaustion).toEqual({ count: 3, sessions: 1, rate: 0.25 });
});

describe('handoffs', () => {
  it('are averaged over handoffs, and counted per session', () => {
    const { handoffs } = metricsOf([
      record(handoff(170_000, 60_000), { session: 's1' }),
      record(handoff(190_000, 20_000, 'memory'), { session: 's2' }),
      record(handoff(180_000, 10_000), { session: 's3' }),
      record(turn(), { run: 'r2', session: 's4' }),
    ]);
    expect(handoffs).toEqual({
      count: 3,
      perSession: 1.5,
      early: 1,
      earlyRate: 1 / 3,
      fraction: { mean: expect.closeTo(0.9) },
      ms: { mean: 30_000 },
    });
  });

  it.each([
    { tokens: 179_999, early: 1 },
    { tokens: 180_000, early: 0 },
    { tokens: 210_000, early: 0 },
  ])('at $tokens of 200,000 tokens: early $early', ({ tokens, early }) => {
    expect(metricsOf([record(handoff(tokens, 1))]).handoffs.early).toBe(early);
  });
});

it('counts zone transitions', () => {
  const { zoneTransitions } = metricsOf([
    record(zone('warning', 'critical')),
    record(zone('critical', 'ok')),
    record(zone('ok', 'monitor'), { run: 'r2', session: 's2' }),
    record(zone('warning', 'critical'), { run: 'r2', session: 's2' }),
  ]);
  expect(zoneTransitions).toEqual({ count: 4, perSession: 2 });
});

it('counts turns and compactions', () => {
  const records = [turn(), turn(), compaction('auto'), compaction('manual'), compaction('manual')];
  const { turns, compactions } = metricsOf(records.map((details) => record(details)));
  expect({ turns, compactions }).toEqual({ turns: 2, compactions: { auto: 1, manual: 2 } });
});

import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../../src/config/defaults.ts';
import { isLargeTask, statusOf, type ZoneName, zoneAt } from '../../../../src/core/governor/zones/zones.ts';

const ZONES: readonly ZoneName[] = ['ok', 'monitor', 'warning', 'critical', 'handoff'];

function withLevels(changes: {
  readonly thresholds?: Partial<(typeof DEFAULTS)['thresholds']>;
  readonly zones?: Partial<(typeof DEFAULTS)['zones']>;
}) {
  return {
    ...DEFAULTS,
    thresholds: { ...DEFAULTS.thresholds, ...changes.thresholds },
    zones: { ...DEFAULTS.zones, ...changes.zones },
  };
}

describe('the five zones of a window of 200,000 tokens', () => {
  it.each<{ tokens: number; zone: ZoneName }>([
    { tokens: 0, zone: 'ok' },
    { tokens: 59_999, zone: 'ok' },
    { tokens: 60_000, zone: 'monitor' },
    { tokens: 99_999, zone: 'monitor' },
    { tokens: 100_000, zone: 'warning' },
    { tokens: 139_999, zone: 'warning' },
    { tokens: 140_000, zone: 'critical' },
    { tokens: 158_999, zone: 'critical' },
    // Below claude's own trigger at 167,000, where the work would be handed over.
    { tokens: 159_000, zone: 'handoff' },
    { tokens: 250_000, zone: 'handoff' },
  ])('$tokens: $zone', ({ tokens, zone }) => {
    expect(zoneAt(tokens, 200_000, DEFAULTS)).toBe(zone);
  });
});

describe('levels', () => {
  it.each<{ title: string; tokens: number; window: number; policy: ReturnType<typeof withLevels>; zone: ZoneName }>([
    {
      title: 'tokens stay tokens in any window',
      tokens: 120_000,
      window: 1_000_000,
      policy: withLevels({ zones: { monitor: 50_000, warning: 120_000 } }),
      zone: 'warning',
    },
    {
      title: 'fractions grow with the window',
      tokens: 200_000,
      window: 1_000_000,
      policy: withLevels({}),
      zone: 'ok',
    },
    {
      title: 'a level of the ladder that was moved',
      tokens: 130_000,
      window: 200_000,
      policy: withLevels({ thresholds: { warn: 0.55, handoff: 0.65 } }),
      zone: 'handoff',
    },
    {
      title: 'levels out of order: the highest zone that has begun',
      tokens: 15_000,
      window: 20_000,
      policy: withLevels({ zones: { warning: 90_000 } }),
      zone: 'critical',
    },
  ])('$title', ({ tokens, window, policy, zone }) => {
    expect(zoneAt(tokens, window, policy)).toBe(zone);
  });

  it.each([
    { levels: 'shares', policy: withLevels({}), zone: 'ok' },
    { levels: 'tokens', policy: withLevels({ zones: { warning: 90_000 } }), zone: 'warning' },
  ])('in $levels, while the window is unknown: $zone', ({ policy, zone }) => {
    expect(zoneAt(100_000, undefined, policy)).toBe(zone);
  });

  it('zones never fall as the context grows', () => {
    const ranks = Array.from({ length: 221 }, (_, index) => ZONES.indexOf(zoneAt(index * 1_000, 200_000, DEFAULTS)));
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    expect(new Set(ranks).size).toBe(ZONES.length);
  });
});

it('each zone has a status', () => {
  expect(ZONES.map(statusOf)).toEqual(['ok', 'ok', 'warning', 'critical', 'critical']);
});

describe('large tasks', () => {
  it.each<{ zone: ZoneName; tokens: number; large: boolean }>([
    { zone: 'ok', tokens: 1_000_000, large: false },
    { zone: 'monitor', tokens: 1_000_000, large: false },
    { zone: 'warning', tokens: 5_000, large: false },
    { zone: 'warning', tokens: 5_001, large: true },
    { zone: 'critical', tokens: 2_000, large: false },
    { zone: 'critical', tokens: 2_001, large: true },
    { zone: 'handoff', tokens: 2_000, large: false },
    { zone: 'handoff', tokens: 2_001, large: true },
  ])('$tokens tokens in $zone: $large', ({ zone, tokens, large }) => {
    expect(isLargeTask(tokens, zone)).toBe(large);
  });
});

import { describe, expect, it } from 'vitest';
import { ContextGauge, decodeLine } from '../../src/index.ts';
import { callLine, initLine, resultLine, userLine } from '../support/governor.ts';
import { FIXTURE_RECORDINGS, fixture, linesOf } from '../support/recordings.ts';
import { replayed } from '../support/session-summary.ts';

function gaugeAfter(lines: readonly object[], options = {}): ContextGauge {
  const gauge = new ContextGauge(options);
  for (const line of lines) gauge.add(JSON.stringify(line));
  return gauge;
}

describe('the gauge of a library', () => {
  it.each(FIXTURE_RECORDINGS)('has the figures of a replay for $name', async ({ path }) => {
    const gauge = new ContextGauge();
    for (const line of linesOf(path)) gauge.add(line);
    const { window, context } = await replayed(path);
    const { tokens, source } = window;
    expect(gauge.reading).toMatchObject({ window: tokens ?? undefined, windowSource: source });
    expect(gauge.reading).toMatchObject({ used: context.last, basis: context.basis });
  });

  it('accepts events like lines', () => {
    const [lines, events] = [new ContextGauge(), new ContextGauge()];
    for (const line of linesOf(fixture('native-mid-turn.ndjson'))) {
      lines.add(`${line}\r\n`);
      events.add(decodeLine(line));
      expect(events.reading).toEqual(lines.reading);
    }
    expect(lines.used).toBeGreaterThan(0);
  });

  it('is empty at first', () => {
    const { reading } = new ContextGauge();
    expect(reading).toEqual({
      used: 0,
      predicted: 0,
      window: undefined,
      windowSource: 'unknown',
      fraction: undefined,
      basis: 'none',
      zone: 'ok',
    });
  });

  it.each([
    { name: 'by default', policy: {}, zone: 'warning' },
    { name: 'where a share is lower', policy: { thresholds: { warn: '60%' } }, zone: 'critical' },
    { name: 'where tokens are given', policy: { thresholds: { warn: 130_500 } }, zone: 'warning' },
    { name: 'where the window is larger', policy: { window: 1_000_000 }, zone: 'ok' },
    { name: 'where a key is undefined', policy: { window: undefined, zones: { warning: undefined } }, zone: 'warning' },
  ] as const)('reports the zone of 130,000 tokens $name', ({ policy, zone }) => {
    expect(gaugeAfter([initLine(), callLine(130_000)], { policy }).zone).toBe(zone);
  });

  it('adds sent lines until the next call has measured them, once', () => {
    const gauge = gaugeAfter([initLine(), callLine(50_000), resultLine()]);
    const { predicted } = gauge;
    const prompt = userLine('word '.repeat(1_000));
    gauge.sent(JSON.stringify(prompt));
    const grown = gauge.predicted - predicted;
    expect(grown).toBeGreaterThan(500);
    gauge.add(JSON.stringify({ ...prompt, isReplay: true, session_id: 's1' }));
    expect(gauge.predicted - predicted).toBe(grown);
    gauge.add(JSON.stringify(callLine(51_000)));
    expect(gauge.used).toBe(51_000);
  });

  it.each(['', 'not JSON', '[]', '{"type":"assistant"}', '{"type":"of tomorrow"}'])('ignores %j', (line) => {
    const gauge = gaugeAfter([initLine(), callLine(50_000)]);
    const before = gauge.reading;
    gauge.add(line);
    expect(gauge.reading).toEqual(before);
  });

  it('returns immutable readings', () => {
    const gauge = gaugeAfter([initLine(), callLine(50_000)]);
    const { reading } = gauge;
    gauge.add(JSON.stringify(callLine(60_000)));
    expect([reading.used, gauge.used]).toEqual([50_000, 60_000]);
  });
});

import type { HealthDetails, HealthRecord, ZoneName } from '../../src/core/governor/zones/zones.ts';

const WINDOW = 200_000;

/** A context of so many tokens, in a window of 200,000. */
function level(tokens: number, zone: ZoneName = 'ok') {
  return { tokens, window: WINDOW, fraction: tokens / WINDOW, zone };
}

export function turn(tokens = 10_000): HealthDetails {
  return { ...level(tokens), event: 'turn', turn: 1 };
}

export function zone(from: ZoneName, to: ZoneName): HealthDetails {
  return { ...level(100_000, to), event: 'zone', from };
}

export function handoff(tokens: number, ms: number, by: 'agent' | 'memory' = 'agent'): HealthDetails {
  return { ...level(tokens, 'handoff'), event: 'handoff', ms, by, reason: 'compaction is off' };
}

export function compaction(trigger: 'auto' | 'manual'): HealthDetails {
  return { ...level(150_000, 'critical'), event: 'compaction', trigger, ms: 900 };
}

export function landing(tokens: number): HealthDetails {
  return { ...level(tokens), event: 'landing' };
}

export function exhausted(): HealthDetails {
  return { ...level(200_000, 'handoff'), event: 'exhausted' };
}

/** A record as the governor makes it. */
export function record(details: HealthDetails, more: Partial<HealthRecord> = {}): HealthRecord {
  return { project: '/p', session: 's1', run: 'r1', check_type: 'context', status: 'ok', ...more, details };
}

/** The line of a record in `health.ndjson`. */
export function healthLine(details: HealthDetails, more: Partial<HealthRecord> = {}): string {
  return JSON.stringify({ v: 1, t: '2026-03-01T10:00:00.000Z', ...record(details, more) });
}

import { describe, expect, it } from 'vitest';
import { parseHealth } from '../../src/health/health-report.ts';
import { compaction, exhausted, handoff, healthLine, landing, record, turn, zone } from '../support/health.ts';

describe('reads every record that a run writes', () => {
  it.each([turn(), zone('ok', 'monitor'), compaction('auto'), handoff(170_000, 9_000), landing(30_000), exhausted()])(
    '$event',
    (details) => {
      const { project, session, run } = record(details);
      expect(parseHealth(healthLine(details))).toMatchObject({
        project,
        session,
        run,
        details: { event: details.event },
      });
    },
  );

  it('without a session id', () => {
    expect(parseHealth(healthLine(turn(), { session: null }))?.session).toBeNull();
  });
});

const GOOD = { v: 1, t: '2026-03-01T10:00:00.000Z', ...record(handoff(170_000, 9_000)) };

describe('ignores other lines', () => {
  it.each<{ title: string; line: string }>([
    { title: 'half a line', line: healthLine(turn()).slice(0, -20) },
    { title: 'two lines in one', line: healthLine(turn()).slice(0, 30) + healthLine(turn()) },
    { title: 'text', line: 'hello' },
    { title: 'nothing', line: '' },
    { title: 'another kind of value', line: '[1]' },
    { title: 'null', line: 'null' },
    { title: 'another version', line: JSON.stringify({ ...GOOD, v: 2 }) },
    { title: 'another check', line: JSON.stringify({ ...GOOD, check_type: 'disk' }) },
    { title: 'without project', line: JSON.stringify({ ...GOOD, project: undefined }) },
    { title: 'without run', line: JSON.stringify({ ...GOOD, run: 7 }) },
    { title: 'without details', line: JSON.stringify({ ...GOOD, details: undefined }) },
    ...[
      { event: 'party' },
      { ms: null },
      { fraction: 7 },
      { fraction: -1 },
      { event: 'compaction', trigger: 'moon' },
    ].map((change) => ({
      title: JSON.stringify(change),
      line: JSON.stringify({ ...GOOD, details: { ...GOOD.details, ...change } }),
    })),
  ])('$title', ({ line }) => {
    expect(parseHealth(line)).toBeUndefined();
  });
});

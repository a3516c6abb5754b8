import { expect, it } from 'vitest';
import { createHealthReader } from '../../src/health/health-report.ts';
import { shortenHealth } from '../../src/health/shorten-health.ts';
import { compaction, exhausted, handoff, healthLine, turn, zone } from '../support/health.ts';

const RECORDS = [
  turn(),
  turn(20_000),
  zone('ok', 'monitor'),
  zone('monitor', 'ok'),
  zone('ok', 'monitor'),
  compaction('auto'),
  compaction('manual'),
  compaction('auto'),
  exhausted(),
  handoff(160_000, 4_000),
  handoff(160_000, 4_000),
  handoff(190_000, 2_000, 'memory'),
];

/** Three projects, each with sessions that go on in other runs. */
const LINES = Array.from({ length: 600 }, (_, at) => {
  const [project, session, run] = [`/p${at % 3}`, at % 7 === 0 ? null : `s${at % 5}`, `r${at % 4}`];
  return healthLine(RECORDS[at % RECORDS.length] ?? turn(), { project, session, run });
});

function reportOf(lines: Iterable<string>) {
  const reader = createHealthReader();
  reader.read({ file: '/health.ndjson', lines, torn: false });
  return reader.report();
}

it('changes no figure, and once more changes nothing', () => {
  const lines = [...LINES, 'torn {', '{"v":2}'];
  const short = [...shortenHealth(lines)];
  expect(short.length).toBeLessThan(lines.length / 1.5);
  expect(reportOf(short)).toEqual(reportOf(lines));
  expect(reportOf(shortenHealth(short))).toEqual(reportOf(lines));
  expect([...shortenHealth(short)].sort()).toEqual(short.sort());
});

it('has one line for the turns of a session, however many', () => {
  const turns = Array.from({ length: 10_000 }, (_, at) => healthLine(turn(at)));
  const short = [...shortenHealth(turns)];
  expect(short).toHaveLength(1);
  expect(reportOf(short).total).toMatchObject({ sessions: 1, turns: 10_000 });
});

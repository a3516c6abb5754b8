import { describe, expect, it } from 'vitest';
import { createHealthReader } from '../../src/health/health-report.ts';
import { healthTable } from '../../src/report/health-table.ts';
import { PLAIN } from '../../src/report/style.ts';
import { compaction, exhausted, handoff, healthLine, turn, zone } from '../support/health.ts';

function reportOf(...lines: readonly string[]) {
  const reader = createHealthReader();
  reader.read('/logs/health.ndjson', lines, false);
  return reader.report();
}

const API = [
  turn(),
  zone('ok', 'monitor'),
  handoff(170_000, 60_000),
  handoff(190_000, 125_000, 'memory'),
  compaction('auto'),
].map((details) => healthLine(details, { project: '/home/dev/api' }));
const WEB = [turn(), turn(), exhausted()].map((details) => healthLine(details, { project: '/home/dev/web' }));

describe('table', () => {
  it('has a row for each project and one with totals', () => {
    expect(healthTable(reportOf(...API, ...WEB), PLAIN)).toBe(
      [
        'project        sessions  turns  sessions too full  compactions  handoffs  handed over below 90%  context at handoff  a handoff took  zone changes',
        '/home/dev/api         1      1             0 (0%)            1         2                1 (50%)                 90%      1 min 33 s             1',
        '/home/dev/web         1      2           1 (100%)            0         0                      –                   –               –             0',
        'all                   2      3            1 (50%)            1         2                1 (50%)                 90%      1 min 33 s             1',
        '',
      ].join('\n'),
    );
  });

  it('is split on a narrower terminal', () => {
    const lines = healthTable(reportOf(...API, ...WEB), PLAIN, 40)
      .trimEnd()
      .split('\n');
    expect(lines.every((line) => line.length <= 40)).toBe(true);
    expect(lines.slice(0, 4)).toEqual([
      'project        sessions  turns',
      '/home/dev/api         1      1',
      '/home/dev/web         1      2',
      'all                   2      3',
    ]);
    expect(lines.filter((line) => line.startsWith('/home/dev/api '))).toHaveLength(7);
  });

  it('omits the totals for a single project', () => {
    expect(healthTable(reportOf(...WEB), PLAIN).split('\n').length).toBe(3);
  });

  it('reports that there are no records', () => {
    expect(healthTable(reportOf(), PLAIN)).toBe('');
  });

  it.each([
    { ms: 0, took: '0.0 s' },
    { ms: 59_940, took: '59.9 s' },
    { ms: 59_960, took: '1 min' },
    { ms: 119_600, took: '2 min' },
  ])('$ms ms is $took', ({ ms, took }) => {
    expect(healthTable(reportOf(healthLine(handoff(170_000, ms))), PLAIN)).toContain(`  ${took}  `);
  });

  it('removes control sequences from names', () => {
    const text = healthTable(reportOf(healthLine(turn(), { project: '/a\u001b[2J\nb' })), PLAIN);
    expect(text).toContain('/a[2J b ');
    expect(text.split('\n').length).toBe(3);
  });
});

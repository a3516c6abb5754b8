import { describe, expect, it } from 'vitest';
import { createHealthReader } from '../../src/health/health-report.ts';
import { healthPrometheus } from '../../src/report/health-prometheus.ts';
import { healthTable } from '../../src/report/health-table.ts';
import { PLAIN } from '../../src/report/style.ts';
import { readExposition, readSample } from '../support/exposition.ts';
import { compaction, exhausted, handoff, healthLine, turn, zone } from '../support/health.ts';

function reportOf(...lines: readonly string[]) {
  const reader = createHealthReader();
  reader.read({ file: '/logs/health.ndjson', lines, torn: false });
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
  it('has a line for each project and one for all', () => {
    expect(healthTable(reportOf(...API, ...WEB), PLAIN)).toBe(
      [
        'project        sessions  turns  exhausted  handoffs  a session  below 90%  context then        took  zone changes  a session',
        '/home/dev/api         1      1     0 (0%)         2       2.00    1 (50%)           90%  1 min 33 s             1       1.00',
        '/home/dev/web         1      2   1 (100%)         0       0.00          –             –           –             0       0.00',
        'all                   2      3    1 (50%)         2       1.00    1 (50%)           90%  1 min 33 s             1       0.50',
        '',
      ].join('\n'),
    );
  });

  it('one project needs no line for all', () => {
    expect(healthTable(reportOf(...WEB), PLAIN).split('\n').length).toBe(3);
  });

  it('says that there is nothing', () => {
    expect(healthTable(reportOf(), PLAIN)).toBe('no health records found\n');
  });

  it.each([
    { ms: 0, took: '0.0 s' },
    { ms: 59_940, took: '59.9 s' },
    { ms: 59_960, took: '1 min 0 s' },
    { ms: 119_600, took: '2 min 0 s' },
  ])('$ms ms is $took', ({ ms, took }) => {
    expect(healthTable(reportOf(healthLine(handoff(170_000, ms))), PLAIN)).toContain(`  ${took}  `);
  });

  it('a name cannot steer the terminal', () => {
    const text = healthTable(reportOf(healthLine(turn(), { project: '/a\u001b[2J\nb' })), PLAIN);
    expect(text).toContain('/a[2J b ');
    expect(text.split('\n').length).toBe(3);
  });
});

describe('prometheus', () => {
  it('says every figure, each family once with its help and type before it', () => {
    const text = healthPrometheus(reportOf(...API, ...WEB));
    expect(text.endsWith('\n')).toBe(true);
    expect(text).toContain('# TYPE ctxb_sessions gauge\nctxb_sessions{project="/home/dev/api"} 1\n');
    for (const sample of [
      'ctxb_turns_total{project="/home/dev/web"} 2',
      'ctxb_exhaustions_total{project="/home/dev/web"} 1',
      'ctxb_exhausted_sessions{project="/home/dev/web"} 1',
      'ctxb_exhaustion_ratio{project="/home/dev/web"} 1',
      'ctxb_handoffs_total{project="/home/dev/api",by="agent"} 1',
      'ctxb_handoffs_total{project="/home/dev/api",by="memory"} 1',
      'ctxb_handoffs_per_session{project="/home/dev/api"} 2',
      'ctxb_early_handoffs_total{project="/home/dev/api"} 1',
      'ctxb_handoff_context_ratio_count{project="/home/dev/api"} 2',
      'ctxb_handoff_seconds_sum{project="/home/dev/api"} 185',
      'ctxb_zone_transitions_total{project="/home/dev/api",from="ok",to="monitor"} 1',
      'ctxb_compactions_total{project="/home/dev/api",trigger="auto"} 1',
      'ctxb_health_unreadable_lines{file="/logs/health.ndjson"} 0',
    ]) {
      expect(text).toContain(`${sample}\n`);
    }
  });

  it('is what Prometheus reads: families in one piece, no sample twice', () => {
    const samples = readExposition(healthPrometheus(reportOf(...API, ...WEB)));
    expect(samples).toContainEqual({ name: 'ctxb_turns_total', labels: { project: '/home/dev/web' }, value: 2 });
  });

  it.each([
    { project: 'C:\\work', label: 'C:\\\\work' },
    { project: 'a "b"', label: 'a \\"b\\"' },
    { project: 'a\nb', label: 'a\\nb' },
    { project: '\\n', label: '\\\\n' },
    { project: 'ünï', label: 'ünï' },
  ])('$project is escaped', ({ project, label }) => {
    const [line = ''] = healthPrometheus(reportOf(healthLine(turn(), { project })))
      .split('\n')
      .slice(2);
    expect(line).toBe(`ctxb_sessions{project="${label}"} 1`);
    expect(readSample(line).labels).toEqual({ project });
  });

  it('nothing is no text at all', () => {
    expect(healthPrometheus(createHealthReader().report())).toBe('');
  });
});

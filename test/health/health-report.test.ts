import { expect, it } from 'vitest';
import { createHealthReader } from '../../src/health/health-report.ts';
import { exhausted, handoff, healthLine, turn } from '../support/health.ts';

it('sorts projects by name across logs, and adds them up', () => {
  const reader = createHealthReader();
  reader.read('/1', [healthLine(turn(), { project: '/b' })], false);
  reader.read(
    '/2',
    [
      healthLine(handoff(160_000, 4_000), { project: '/c' }),
      healthLine(exhausted(), { project: '/a' }),
      healthLine(handoff(190_000, 2_000), { project: '/b', run: 'r2', session: 's2' }),
    ],
    false,
  );
  const { version, projects, total, files } = reader.report();
  expect(version).toBe(1);
  expect(projects.map(({ project, metrics }) => [project, metrics.sessions, metrics.handoffs.count])).toEqual([
    ['/a', 1, 0],
    ['/b', 2, 1],
    ['/c', 1, 1],
  ]);
  expect(total).toMatchObject({
    sessions: 4,
    exhaustion: { count: 1, sessions: 1, rate: 0.25 },
    handoffs: { count: 2, perSession: 0.5, ms: { mean: 3_000 } },
  });
  expect(files).toEqual([
    { file: '/1', records: 1, unreadable: 0 },
    { file: '/2', records: 3, unreadable: 0 },
  ]);
});

it('counts unreadable lines, except empty ones', () => {
  const reader = createHealthReader();
  reader.read('/1', ['{', '', healthLine(turn()), '{"v":9}', '  '], true);
  expect(reader.report().files).toEqual([{ file: '/1', records: 1, unreadable: 3 }]);
  expect(reader.report().total.turns).toBe(1);
});

it('counts records before a fault', () => {
  const reader = createHealthReader();
  function* breaksOff() {
    yield healthLine(turn());
    throw new Error('the disk is gone');
  }
  expect(() => reader.read('/1', breaksOff(), false)).toThrow('the disk is gone');
  expect(reader.report()).toMatchObject({ total: { turns: 1 }, files: [] });
});

it('reports no projects without records', () => {
  expect(createHealthReader().report()).toMatchObject({ projects: [], files: [], total: { sessions: 0 } });
});

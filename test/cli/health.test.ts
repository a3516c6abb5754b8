import { appendFileSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compaction, exhausted, handoff, healthLine, turn } from '../support/health.ts';
import { createPlace, ctxb, type Place, runFake } from './fakes.ts';

/** A log of a project that is named after its folder. */
function keep(place: Place, project: string, details = [turn(), handoff(170_000, 30_000)]): string {
  const path = place.path(`${project}/.context/health.ndjson`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, details.map((each) => `${healthLine(each, { project: `/dev/${project}` })}\n`).join(''));
  return path;
}

it('reads the working folder by default', async () => {
  await using place = await createPlace();
  keep(place, '.');
  const run = await ctxb(place, ['health']);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout.toString()).toMatch(
    /^project +sessions .*\n\/dev\/\. +1 +1 +0 \(0%\) +0 +1 +1 \(100%\) +85% +30\.0 s /,
  );
});

it('reads any number of projects, each log once', async () => {
  await using place = await createPlace();
  keep(place, 'api');
  keep(place, 'web', [turn(), exhausted(), compaction('auto')]);
  const names = ['api', './api/', 'api/.context', 'api/.context/health.ndjson', '.', 'web'];
  const run = await ctxb(place, ['health', '--json', ...names]);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(run.stdout.toString())).toMatchObject({
    version: 1,
    projects: [
      {
        project: '/dev/api',
        metrics: { sessions: 1, turns: 1, handoffs: { count: 1, early: 1, ms: { mean: 30_000 } } },
      },
      { project: '/dev/web', metrics: { exhaustion: { rate: 1 }, compactions: { auto: 1, manual: 0 } } },
    ],
    total: { sessions: 2, turns: 2, exhaustion: { rate: 0.5 }, handoffs: { perSession: 0.5 } },
    files: [{ records: 2 }, { records: 3 }],
  });
});

it('finds the records of a project by its configuration, and of all projects by --context-dir', async () => {
  await using place = await createPlace();
  mkdirSync(place.path('p/notes'), { recursive: true });
  await place.file('p/.contextbudgetrc.json', '{"contextDir":"notes"}');
  await place.file('p/notes/health.ndjson', `${healthLine(turn(), { project: '/dev/p' })}\n`);
  for (const args of [['p'], ['.'], ['p', '--context-dir', 'notes']]) {
    const run = await ctxb(place, ['health', ...args]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.toString()).toContain('/dev/p ');
  }
});

describe('unreadable parts do not stop the rest', () => {
  it('counts and reports lines', async () => {
    await using place = await createPlace();
    appendFileSync(keep(place, 'api'), `{"v":1,"t":"2026\n\n${healthLine(turn(), { project: '/dev/api' })}\n{"v":1`);
    const run = await ctxb(place, ['health', '--json', 'api']);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(
      /^ctxb: \/.*\/api\/\.context\/health\.ndjson: 2 lines could not be read and did not count\n$/,
    );
    expect(JSON.parse(run.stdout.toString())).toMatchObject({
      total: { turns: 2 },
      files: [{ records: 3, unreadable: 2 }],
    });
  });

  it.each<{ title: string; prepare: (place: Place) => void; says: RegExp }>([
    { title: 'a missing folder', prepare: () => {}, says: /^ctxb: .*odd: cannot be read \(ENOENT/ },
    {
      title: 'a log that is a link',
      prepare: (place) => {
        mkdirSync(place.path('odd/.context'), { recursive: true });
        symlinkSync('/dev/null', place.path('odd/.context/health.ndjson'));
      },
      says: /^ctxb: .*health\.ndjson is a symbolic link, so ctxb does not use it/,
    },
    {
      title: 'a log that is a folder',
      prepare: (place) => mkdirSync(place.path('odd/.context/health.ndjson'), { recursive: true }),
      says: /^ctxb: .*health\.ndjson is a folder/,
    },
    {
      title: 'a file of another program',
      prepare: (place) => writeFileSync(place.path('odd'), '# Notes\n\nNothing here.\n'),
      says: /^ctxb: \/.*odd: no line is a health record: name a project, or its \.context folder\n$/,
    },
    {
      title: 'a bad configuration',
      prepare: (place) => {
        mkdirSync(place.path('odd'));
        writeFileSync(place.path('odd/.contextbudgetrc'), '{ "a": 1 }');
      },
      says: /^ctxb: a: expected one of /,
    },
  ])('$title: exit 2', async ({ prepare, says }) => {
    await using place = await createPlace();
    keep(place, 'api');
    prepare(place);
    const run = await ctxb(place, ['health', 'odd', 'api']);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(says);
    expect(run.stdout.toString()).toContain('/dev/api ');
  });
});

it('reports that nothing was recorded, and ends with 0', async () => {
  await using place = await createPlace();
  const run = await ctxb(place, ['health']);
  expect(run).toMatchObject({ code: 0, stderr: 'ctxb: .: no health records: ctxb run writes them\n' });
  expect(run.stdout.toString()).toBe('');
});

it('continues a long log in a new file, and counts both', async () => {
  await using place = await createPlace();
  await runFake(place, { fake: 'answers', flags: ['--prompt', 'one'] });
  const log = place.path('.context/health.ndjson');
  const line = `${healthLine(turn(), { project: '/before' })}\n`;
  const count = Math.ceil((8 * 1024 * 1024) / line.length);
  appendFileSync(log, line.repeat(count));
  await runFake(place, { fake: 'answers', flags: ['--prompt', 'one'] });
  const parts = readdirSync(place.path('.context')).filter((name) => name.startsWith('health-'));
  expect(parts).toHaveLength(1);
  expect(statSync(log).size).toBeLessThan(10_000);
  const { projects, files } = JSON.parse((await ctxb(place, ['health', '--json'])).stdout.toString());
  expect(files).toHaveLength(2);
  expect(projects).toMatchObject([
    { project: '/before', metrics: { turns: count } },
    { project: place.cwd, metrics: { turns: 2, sessions: expect.any(Number) } },
  ]);
});

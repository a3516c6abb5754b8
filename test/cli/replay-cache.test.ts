import { appendFile, chmod, cp, mkdir, readdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReplayReport } from '../../src/replay/sums.ts';
import { fixture } from '../support/recordings.ts';
import { sampled } from '../support/size.ts';
import { createPlace, ctxb, type Place } from './fakes.ts';

const FIRST = 'subagent.session.jsonl';
const SECOND = 'crossing.session.jsonl';
/** In none of the recordings. */
const MARK = 4_711;

/** A place with two recordings that nobody has written for a while. */
async function createRecordings(): Promise<Place> {
  const place = await createPlace();
  for (const name of [FIRST, SECOND]) await cp(fixture(name), join(place.cwd, 'r', name));
  const logs = FIRST.replace('.jsonl', '');
  await cp(fixture(logs), join(place.cwd, 'r', logs), { recursive: true });
  for (const path of await recordings(place)) await age(path, 100);
  return place;
}

async function recordings(place: Place): Promise<string[]> {
  const entries = await readdir(place.path('r'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** @param seconds since the file was written, so to speak */
async function age(path: string, seconds: number): Promise<void> {
  const time = Date.now() / 1_000 - seconds;
  await utimes(path, time, time);
}

async function pages(place: Place): Promise<string[]> {
  const folder = place.path('.cache/ctxb/replay');
  return (await readdir(folder)).map((name) => join(folder, name));
}

/** Writes a figure into what is kept, so that it shows whether it is used. */
async function markKept(place: Place): Promise<void> {
  for (const page of await pages(place)) {
    await writeFile(page, (await readFile(page, 'utf8')).replaceAll(/"turns":\d+/g, `"turns":${MARK}`));
  }
}

/** Of each recording: whether what was kept is what is shown, or undefined where it was judged anew. */
async function keptOf(place: Place, ...flags: readonly string[]) {
  const { stdout, code } = await ctxb(place, ['replay', '--json', ...flags, 'r']);
  expect(code).toBe(0);
  const { sessions } = JSON.parse(stdout.toString()) as ReplayReport;
  return Object.fromEntries(sessions.map(({ file, turns }) => [file.slice(2), turns === MARK]));
}

const ALL = { [FIRST]: true, [SECOND]: true };
const NONE = { [FIRST]: false, [SECOND]: false };

describe('a second replay', () => {
  it('prints the same from the cache', async () => {
    await using place = await createRecordings();
    const runs = [];
    for (const flags of [[], [], ['--no-cache']]) runs.push(await ctxb(place, ['replay', '--json', ...flags, 'r']));
    expect(runs[1]).toEqual(runs[0]);
    expect(runs[2]).toEqual(runs[0]);
    await markKept(place);
    expect(await keptOf(place)).toEqual(ALL);
  });

  it('reads a list from the cache', async () => {
    await using place = await createRecordings();
    const first = await ctxb(place, ['replay', 'r']);
    expect(await ctxb(place, ['replay', 'r'])).toEqual(first);
    for (const page of await pages(place)) {
      await writeFile(page, (await readFile(page, 'utf8')).replaceAll(/"calls":\d+/g, `"calls":${MARK}`));
    }
    expect((await ctxb(place, ['replay', 'r'])).stdout.toString().match(/ 4,711 /g)).toHaveLength(2);
  });

  it('reads details from the cache', async () => {
    await using place = await createRecordings();
    await ctxb(place, ['replay', '--json', '--series', '--retention', 'r']);
    await markKept(place);
    expect(await keptOf(place, '--series', '--retention')).toEqual(ALL);
  });

  it('recognizes a recording by any path', async () => {
    await using place = await createRecordings();
    await ctxb(place, ['replay', '--json', place.path('r')]);
    await markKept(place);
    expect(await keptOf(place)).toEqual(ALL);
  });

  it.each(
    sampled(
      [
        { name: '--no-cache', flags: ['--no-cache'] },
        { name: 'another policy', flags: ['--compact-at', '60%'] },
        { name: 'other details', flags: ['--series'] },
      ],
      3,
    ),
  )('computes again with $name', async ({ flags }) => {
    await using place = await createRecordings();
    await ctxb(place, ['replay', '--json', 'r']);
    await markKept(place);
    expect(await keptOf(place, ...flags)).toEqual(NONE);
  });

  it.each(
    sampled<{ name: string; change: (path: string) => Promise<unknown> }>(
      [
        { name: 'was added to', change: (path) => appendFile(path, '{"type":"summary"}\n').then(() => age(path, 50)) },
        {
          name: 'was cut off',
          change: async (path) => writeFile(path, (await readFile(path)).subarray(0, -10)).then(() => age(path, 50)),
        },
        { name: 'was rewritten with the same size', change: (path) => rewrite(path, 50) },
        { name: 'was rewritten with the same size and given its time again', change: (path) => rewrite(path, 100) },
        {
          name: 'was replaced',
          change: (path) =>
            cp(path, `${path}.new`)
              .then(() => rename(`${path}.new`, path))
              .then(() => age(path, 100)),
        },
        { name: 'was written this moment', change: (path) => appendFile(path, '\n') },
        { name: 'has one more log of a subagent', change: (path) => addLog(path) },
      ],
      3,
    ),
  )('computes again if a recording $name', async ({ change }) => {
    await using place = await createRecordings();
    await ctxb(place, ['replay', '--json', 'r']);
    await markKept(place);
    await change(place.path(`r/${SECOND}`));
    expect(await keptOf(place)).toEqual({ ...ALL, [SECOND]: false });
  });

  it('does not cache a file that was just written', async () => {
    await using place = await createRecordings();
    await appendFile(place.path(`r/${SECOND}`), '\n');
    await ctxb(place, ['replay', '--json', 'r']);
    await markKept(place);
    await age(place.path(`r/${SECOND}`), 100);
    expect(await keptOf(place)).toEqual({ ...ALL, [SECOND]: false });
  });

  it.each(
    sampled(
      [
        { name: 'damaged', text: '{"version":1,"entries":{"a' },
        { name: 'of another program', text: `{"version":1,"entries":{"${FIRST}":{"identity":"","value":{}}}}` },
      ],
      2,
    ),
  )('computes again if the entry is $name', async ({ text }) => {
    await using place = await createRecordings();
    const { stdout } = await ctxb(place, ['replay', '--json', 'r']);
    for (const page of await pages(place)) await writeFile(page, text);
    expect((await ctxb(place, ['replay', '--json', 'r'])).stdout).toEqual(stdout);
    await markKept(place);
    expect(await keptOf(place)).toEqual(ALL);
  });

  it('works without a writable cache', async () => {
    await using place = await createRecordings();
    await writeFile(place.path('.cache'), 'a file');
    const { code, stderr } = await ctxb(place, ['replay', 'r']);
    expect({ code, stderr: stderr.toString() }).toEqual({ code: 0, stderr: '' });
  });

  it('stores the cache in XDG_CACHE_HOME, for its owner only', async () => {
    await using place = await createRecordings();
    await mkdir(place.path('c'));
    await chmod(place.path('c'), 0o755);
    await ctxb(place, ['replay', 'r'], { env: { XDG_CACHE_HOME: place.path('c') } });
    expect((await stat(place.path('c/ctxb/replay'))).mode & 0o777).toBe(0o700);
    expect((await readdir(place.cwd)).sort()).toEqual(['c', 'r']);
  });
});

it('caches nothing if neither XDG_CACHE_HOME nor HOME is an absolute path', async () => {
  await using place = await createRecordings();
  const { code } = await ctxb(place, ['replay', 'r'], { env: { XDG_CACHE_HOME: 'c', HOME: 'h' } });
  expect(code).toBe(0);
  expect(await readdir(place.cwd)).toEqual(['r']);
});

async function rewrite(path: string, seconds: number): Promise<void> {
  await writeFile(path, (await readFile(path, 'utf8')).replace('"type":"user"', '"type":"used"'));
  await age(path, seconds);
}

async function addLog(path: string): Promise<void> {
  const log = join(path.replace('.jsonl', ''), 'subagents', 'agent-1.jsonl');
  await mkdir(dirname(log), { recursive: true });
  await writeFile(log, '{}\n');
  await age(log, 100);
}

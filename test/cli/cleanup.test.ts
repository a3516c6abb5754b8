import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { promptLine, type RunningProgram } from '../support/claude.ts';
import { CTXB, PROTOCOL } from '../support/ctxb.ts';
import { quoted } from '../support/interactive.ts';
import { atTerminal } from '../support/pty.ts';
import { firstOf, inSoak, sampled } from '../support/size.ts';
import { createPlace, ctxb, type Place, runFake, startFake } from './fakes.ts';

async function session(place: Place, id: string): Promise<void> {
  const run = await runFake(place, { fake: 'answers', flags: ['--prompt', 'x'], env: { PLAY_SESSION: id } });
  expect(run).toMatchObject({ code: 0, stderr: '' });
}

/** A run that waits for its second prompt. */
async function startSession(place: Place, id: string): Promise<RunningProgram> {
  const ends = () => {
    const path = place.path('.context/health.ndjson');
    return existsSync(path) ? readFileSync(path, 'utf8').length : 0;
  };
  const before = ends();
  const run = startFake(place, { fake: 'answers', claude: PROTOCOL, env: { PLAY_SESSION: id } });
  run.send(promptLine('x'));
  await run.waitForLine(({ type }) => type === 'result');
  await expect.poll(ends, { timeout: 30_000 }).toBeGreaterThan(before);
  return run;
}

function sessions(place: Place): string[] {
  return readdirSync(place.path('.context/sessions')).sort();
}

it('says what it removes, and removes it', async () => {
  await using place = await createPlace();
  await session(place, 'aaaa');
  await session(place, 'bbbb');
  await place.file('mine.txt', '');
  const dry = await ctxb(place, ['cleanup', '--dry-run']);
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  const root = place.path('.context');
  const lines = dry.stdout.toString().trimEnd().split('\n');
  expect(lines).toEqual(
    expect.arrayContaining(['remove journal.ndjson', expect.stringMatching(/^remove sessions\/aaaa \(\d+ files\)$/)]),
  );
  expect(lines[0]).toBe(`in ${root}:`);
  expect(lines.slice(-2)).toEqual([`remove ${root}`, `nothing was removed from ${root}`]);
  expect(sessions(place)).toEqual(['aaaa', 'bbbb']);
  const run = await ctxb(place, ['cleanup', '--yes']);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout.toString().trimEnd().split('\n').slice(0, -1)).toEqual(lines.slice(0, -1));
  expect(run.stdout.toString()).toMatch(/\d+ items removed from \/.*\/\.context\n$/);
  expect(readdirSync(place.cwd)).toEqual(['mine.txt']);
});

it('removes nothing if it cannot ask', async () => {
  await using place = await createPlace();
  await session(place, 'aaaa');
  const run = await ctxb(place, ['cleanup']);
  expect(run).toMatchObject({ code: 2, stderr: expect.stringMatching(/use --yes if nobody can answer\n$/) });
  expect(run.stdout.toString()).toContain('remove sessions/aaaa');
  expect(sessions(place)).toEqual(['aaaa']);
});

it.each([
  { answer: 'n', left: ['aaaa'], says: /nothingwasremovedfrom/ },
  { answer: 'y', left: undefined, says: /itemsremovedfrom/ },
])('asks at a terminal: $answer', async ({ answer, left, says }) => {
  await using place = await createPlace();
  await session(place, 'aaaa');
  await using terminal = atTerminal(quoted([process.execPath, CTXB, 'cleanup']), { env: place.env, cwd: place.cwd });
  await terminal.shows(/removesessions\/aaaa[^[]*Removethis\?\[y\/N\]/);
  expect(sessions(place)).toEqual(['aaaa']);
  terminal.type(`${answer}\n`);
  await terminal.shows(says);
  expect(await terminal.ended).toBe(0);
  expect(existsSync(place.path('.context/sessions')) ? sessions(place) : undefined).toEqual(left);
});

it('has nothing to do without files', async () => {
  await using place = await createPlace();
  const run = await ctxb(place, ['cleanup']);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout.toString()).toBe(`0 items removed from ${place.path('.context')}\n`);
  expect(readdirSync(place.cwd)).toEqual([]);
});

it.each(
  sampled(
    [
      { keep: '1', left: ['cccc'] },
      { keep: '2', left: ['bbbb', 'cccc'] },
      { keep: '3', left: ['aaaa', 'bbbb', 'cccc'] },
      { keep: '1000', left: ['aaaa', 'bbbb', 'cccc'] },
      { keep: '0', left: [] },
    ],
    3,
  ),
)('--keep $keep keeps that many of the newest sessions, and everything else', async ({ keep, left }) => {
  await using place = await createPlace();
  for (const id of ['aaaa', 'bbbb', 'cccc']) await session(place, id);
  const run = await ctxb(place, ['cleanup', '--yes', '--keep', keep]);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(run.stdout.toString()).toMatch(new RegExp(`^${3 - left.length} items? removed`, 'm'));
  expect(sessions(place)).toEqual(left);
  for (const file of ['scratch.md', 'journal.ndjson', 'mailbox.ndjson']) {
    expect(existsSync(place.path(`.context/${file}`))).toBe(true);
  }
});

it.each(firstOf(['-1', '1.5', 'many', '', '9999999999']))(
  '--keep %s is refused, and nothing is removed',
  async (keep) => {
    await using place = await createPlace();
    await session(place, 'aaaa');
    const run = await ctxb(place, ['cleanup', `--keep=${keep}`]);
    expect(run).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
    expect(run.stderr).toBe(`ctxb: --keep: expected a whole number of sessions, 0 or more, found "${keep}"\n`);
    expect(sessions(place)).toEqual(['aaaa']);
  },
);

it("leaves files that are not ctxb's, and names them", async () => {
  await using place = await createPlace();
  await session(place, 'aaaa');
  await place.file('.context/mine.txt', 'mine');
  await mkdir(place.path('.context/sessions/not a session'));
  await place.file('target', 'mine');
  await symlink('../target', place.path('.context/link'));
  const run = await ctxb(place, ['cleanup', '--yes']);
  expect(run.code).toBe(0);
  expect(run.stderr.trimEnd().split('\n').sort()).toEqual([
    'ctxb: left link: ctxb did not make it',
    'ctxb: left mine.txt: ctxb did not make it',
    'ctxb: left sessions/not a session: ctxb did not make it',
  ]);
  expect(readdirSync(place.path('.context')).sort()).toEqual([
    '.gitignore',
    'CTXB.TAG',
    'link',
    'mine.txt',
    'sessions',
  ]);
  expect(existsSync(place.path('target'))).toBe(true);
});

it.each(firstOf([{ flags: [] }, { flags: ['--keep', '0'] }]))(
  'leaves an active run alone: $flags',
  async ({ flags }) => {
    await using place = await createPlace();
    await session(place, 'aaaa');
    const live = await startSession(place, 'bbbb');
    const run = await ctxb(place, ['cleanup', '--yes', ...flags]);
    expect(run.code).toBe(0);
    expect(run.stderr).toBe('ctxb: kept session bbbb: a run uses it\n');
    expect(run.stdout.toString()).toMatch(/^1 item removed/m);
    expect(sessions(place)).toEqual(['bbbb']);
    live.send(promptLine('y'));
    await live.waitForLine(({ type }) => type === 'result');
    live.stdin.end();
    expect(await live.finished).toMatchObject({ code: 0, stderr: '' });
    const scratch = await ctxb(place, ['scratch', 'bbbb']);
    expect(scratch.stdout.toString()).toContain('2 prompts →');
  },
);

it('removes the files of a killed run', async () => {
  await using place = await createPlace();
  const live = await startSession(place, 'aaaa');
  live.kill('SIGKILL');
  await live.finished;
  expect(await ctxb(place, ['cleanup', '--yes'])).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(place.path('.context'))).toBe(false);
});

it.each([
  {
    title: 'a folder that ctxb has not made',
    prepare: (place: Place) => mkdir(place.path('folder')),
    says: 'is not a folder that ctxb made',
  },
  {
    title: 'a symbolic link',
    prepare: (place: Place) => symlink('.', place.path('folder')),
    says: 'is a symbolic link',
  },
  { title: 'a file', prepare: (place: Place) => place.file('folder', 'mine'), says: 'is a file' },
])('$title is refused', async ({ prepare, says }) => {
  await using place = await createPlace();
  await prepare(place);
  const run = await ctxb(place, ['cleanup', '--context-dir', 'folder']);
  expect(run).toMatchObject({ code: 2, stdout: Buffer.alloc(0), stderr: expect.stringContaining(says) });
  expect(readdirSync(place.cwd)).toEqual(['folder']);
  await rm(place.path('folder'), { recursive: true });
});

inSoak('never treats the working folder as its own', async () => {
  await using place = await createPlace();
  await place.file('journal.ndjson', '');
  const run = await ctxb(place, ['cleanup', '--context-dir', '.']);
  expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('holds the working folder') });
  expect(readdirSync(place.cwd)).toEqual(['journal.ndjson']);
});

describe('an invalid configuration', () => {
  it.each([
    { title: 'no JSON', content: '{"quiet":', says: '.contextbudgetrc.json:1:' },
    { title: 'an unknown key', content: '{"quite":true}', says: 'quite: ' },
    {
      title: 'a folder outside',
      content: '{"contextDir":"../elsewhere"}',
      says: 'contextDir: expected a folder inside',
    },
  ])('is reported, and does not prevent cleaning: $title', async ({ content, says }) => {
    await using place = await createPlace();
    await session(place, 'aaaa');
    await place.file('.contextbudgetrc.json', content);
    const run = await ctxb(place, ['cleanup', '--yes']);
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining(says) });
    expect(existsSync(place.path('.context'))).toBe(false);
  });

  it('does not change which folder is cleaned', async () => {
    await using place = await createPlace();
    await session(place, 'aaaa');
    const run = await ctxb(place, ['cleanup', '--yes', '--context-dir', '']);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('--context-dir: expected a path') });
    expect(sessions(place)).toEqual(['aaaa']);
  });
});

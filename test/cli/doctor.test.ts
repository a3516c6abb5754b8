import { chmod, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { FACTS } from '../../src/doctor/facts.ts';
import { startProgram } from '../support/claude.ts';
import { CTXB, SHIM } from '../support/ctxb.ts';
import { createPlace, ctxb, fake, isAlive, type Place } from './fakes.ts';

/** A place whose temporary files are in a folder of their own. */
async function placeWithTmp() {
  const place = await createPlace();
  const tmp = place.path('tmp');
  await mkdir(tmp);
  return { ...place, env: { ...place.env, PATH: '/usr/bin:/bin', TMPDIR: tmp }, tmp };
}

/** A claude that does nothing but write its process id. */
async function silentClaude(place: Place): Promise<string> {
  const path = await place.file('silent', `#!/bin/sh\necho $$ >> '${place.path('pids')}'\nexec sleep 600\n`);
  await chmod(path, 0o755);
  return path;
}

async function pidsOf(place: Place): Promise<number[]> {
  return (await readFile(place.path('pids'), 'utf8')).trim().split('\n').map(Number);
}

describe('a program that is not claude', () => {
  it.each([
    { title: 'nowhere', args: [], env: {}, says: 'no claude on PATH besides ctxb itself: install Claude Code (npm' },
    {
      title: 'not at the path of --claude',
      args: ['--claude', './none'],
      env: {},
      says: '--claude: ./none is not an executable program',
    },
    {
      title: 'not at the path in CTXB_CLAUDE',
      args: [],
      env: { CTXB_CLAUDE: '/none' },
      says: 'CTXB_CLAUDE: /none is no',
    },
  ])('is $title: 127', async ({ args, env, says }) => {
    await using place = await placeWithTmp();
    const run = await ctxb(place, ['doctor', ...args], { env });
    expect(run.stderr).toContain(says);
    expect(run.code).toBe(127);
  });

  it('examines the next claude on PATH if the first one is ctxb', async () => {
    await using place = await placeWithTmp();
    const [first, second] = [place.path('first'), place.path('second')];
    for (const [folder, program] of [
      [first, SHIM],
      [second, fake('kills-itself')],
    ] as const) {
      await mkdir(folder);
      await symlink(program, join(folder, 'claude'));
    }
    const env = { PATH: [first, second, place.env.PATH].join(':') };
    const run = await ctxb(place, ['doctor', '--quick', '--json'], { env });
    expect(JSON.parse(run.stdout.toString()).claude.path).toBe(join(second, 'claude'));
  });

  it('ends immediately: its first scene fails, the others are not tried, 3', async () => {
    await using place = await placeWithTmp();
    const run = await ctxb(place, ['doctor', '--claude', fake('kills-itself'), '--json']);
    const { facts, claude } = JSON.parse(run.stdout.toString());
    expect(claude).toEqual({ path: fake('kills-itself'), version: null });
    expect(facts[0]).toMatchObject({ name: 'two-way-stream', status: 'fails', vital: true });
    expect(facts[0].seen).toContain('claude ended before');
    for (const fact of facts.filter(({ name }: { name: string }) => name.startsWith('hook-')))
      expect(fact).toMatchObject({ status: 'unknown', seen: 'not tried without two-way-stream' });
    expect(run.code).toBe(3);
  });

  it('writes nothing: --timeout limits the wait, then it is ended and its folder removed', async () => {
    await using place = await placeWithTmp();
    const run = await ctxb(place, ['doctor', '--claude', await silentClaude(place), '--timeout', '3']);
    const text = run.stdout.toString();
    expect(text).not.toContain('✗');
    expect(text).toContain('? claude answers a prompt on stdin');
    const late = 'the result of "the first prompt" did not come, waited for 1 s';
    expect(text).toContain(`      not known: ${late}: give a slow machine more time with --timeout 6\n`);
    expect(text).toContain('      not known: not tried without two-way-stream\n');
    expect(text).toContain(`, ${FACTS.length} not known (`);
    expect(text).toContain(`0 of ${FACTS.length} facts hold for claude of an unknown version, `);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect((await pidsOf(place)).filter(isAlive)).toEqual([]);
    expect(await readdir(place.tmp)).toEqual([]);
  });

  it('writes nothing, with --strict: 3', async () => {
    await using place = await placeWithTmp();
    const args = ['doctor', '--claude', await silentClaude(place), '--timeout', '1', '--strict'];
    expect(await ctxb(place, args)).toMatchObject({ code: 3, stderr: '' });
  });
});

it.each(['SIGINT', 'SIGTERM'] as const)('%s ends claude and removes its folder', async (signal) => {
  await using place = await placeWithTmp();
  const claude = await silentClaude(place);
  const run = startProgram(process.execPath, [CTXB, 'doctor', '--claude', claude], { env: place.env, cwd: place.cwd });
  await vi.waitFor(async () => expect(await pidsOf(place)).not.toEqual([]), { timeout: 20_000 });
  run.kill(signal);
  expect(await run.finished).toMatchObject(signal === 'SIGINT' ? { signal } : { code: 143 });
  expect((await pidsOf(place)).filter(isAlive)).toEqual([]);
  expect(await readdir(place.tmp)).toEqual([]);
});

it('a fault of the surroundings ends with 3 and names a remedy; claude is examined too', async () => {
  await using place = await placeWithTmp();
  await place.file('.contextbudgetrc.json', '{"thresholds":{"wran":0.5}}');
  const run = await ctxb(place, ['doctor', '--quick', '--claude', fake('kills-itself')]);
  expect(run.stdout.toString()).toContain('  ✗ configuration: thresholds.wran');
  expect(run.stdout.toString()).toContain('did you mean thresholds.warn?');
  expect(run.stdout.toString()).toContain('! version: it does not report its version');
  expect(run.code).toBe(3);
});

it('refuses a time limit of 0', async () => {
  await using place = await placeWithTmp();
  const run = await ctxb(place, ['doctor', '--timeout', '0']);
  expect(run.stderr).toContain('--timeout: expected a whole number of seconds');
  expect(run.code).toBe(2);
  expect(run.stdout.toString()).toBe('');
});

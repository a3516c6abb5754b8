import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Finished, runProgram, startProgram } from '../support/claude.ts';
import { CTXB, SHIM, untilClosing } from '../support/ctxb.ts';
import { createPlace, ctxb, fake, inputLines, inputOf, isAlive, type Place, STREAM } from './fakes.ts';

/** A folder of programs that comes first on PATH. */
function folderOf(place: Place, name: string): string {
  mkdirSync(place.path(name), { recursive: true });
  return place.path(name);
}

interface Call {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly folders?: readonly string[];
  readonly stdin?: string;
  readonly program?: string;
}

function shim(place: Place, { args = [], env = {}, folders = [], program = SHIM, stdin }: Call): Promise<Finished> {
  const path = [...folders, place.env.PATH].join(':');
  return runProgram(program, args, {
    env: { ...place.env, PATH: path, ...env },
    cwd: place.cwd,
    ...(stdin === undefined ? {} : { stdin }),
  });
}

function script(folder: string, text: string): string {
  writeFileSync(join(folder, 'claude'), `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, 'claude'), 0o755);
  return join(folder, 'claude');
}

describe('other invocations', () => {
  it.each([
    { args: ['--version'] },
    { args: ['--help'] },
    { args: ['mcp', 'list'] },
    { args: ['auth', 'status', '--', '-x'] },
    { args: ['-p', 'hi', '--output-format', 'xml'] },
    // It may be a value of that option or the prompt: claude knows.
    { args: ['-p', '--newer-than-ctxb', 'word'] },
  ])('claude $args keeps its arguments, stdin, stdout, stderr and exit code', async ({ args }) => {
    await using place = await createPlace();
    const run = await shim(place, { args, stdin: 'some\r\ninput', env: { CTXB_CLAUDE: fake('shows-world') } });
    expect(JSON.parse(run.stdout.toString())).toEqual({ args, stdin: 'some\r\ninput' });
    expect(run).toMatchObject({ code: 7, stderr: 'a word on stderr\n' });
  });

  it('claude gets the terminal', async () => {
    await using place = await createPlace();
    const claude = script(folderOf(place, 'bin'), '[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo "a terminal: $*"');
    const { cwd, env } = place;
    const command = `'${SHIM}' --model opus`;
    const run = await runProgram('script', ['-qec', command, '/dev/null'], {
      env: { ...env, CTXB_CLAUDE: claude },
      cwd,
    });
    expect(run.stdout.toString().trim()).toBe('a terminal: --model opus');
  });

  it('leaves a run without a prompt to claude, which reports the fault', async () => {
    await using place = await createPlace();
    const run = await shim(place, { args: ['-p'], env: { CTXB_CLAUDE: fake('shows-world') } });
    expect(JSON.parse(run.stdout.toString())).toEqual({ args: ['-p'], stdin: '' });
  });
});

describe('a headless run', () => {
  it.each([
    { title: 'with -p', args: ['-p', 'one'] },
    { title: 'because stdout is not a terminal', args: ['one'] },
  ])('is run by ctxb: $title', async ({ args }) => {
    await using place = await createPlace();
    const env = { CTXB_CLAUDE: fake('answers'), PLAY_INPUT: place.path('input') };
    const run = untilClosing(await shim(place, { args, env }));
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.toString()).toBe('answer to one\n');
    expect(JSON.stringify(inputLines(place)[0])).toContain('ctxb:pre-compact');
  });

  it('uses the configuration and CTXB_* variables', async () => {
    await using place = await createPlace();
    const env = { CTXB_CLAUDE: fake('answers'), PLAY_INPUT: place.path('input'), CTXB_MEMORY_ENABLED: 'false' };
    await place.file('.contextbudgetrc', '{"midTurn": {"enabled": false}}');
    await shim(place, { args: ['-p', 'one', ...STREAM], env });
    const given = JSON.stringify(inputLines(place));
    expect(given).not.toContain('ctxb:post-compact');
    expect(given).not.toContain('apply_flag_settings');
  });

  it('reports a fault of the configuration on stderr, and leaves stdout empty', async () => {
    await using place = await createPlace();
    await place.file('.contextbudgetrc', '{"windw": 1}');
    const run = await shim(place, { args: ['-p', 'one'], env: { CTXB_CLAUDE: fake('answers') } });
    expect(run.code).toBe(2);
    expect(run.stdout.toString()).toBe('');
    expect(run.stderr).toContain('windw');
  });
});

describe('the choice of claude', () => {
  it('is the next one on PATH when the shim itself is called claude', async () => {
    await using place = await createPlace();
    const [first, second] = [folderOf(place, 'first'), folderOf(place, 'second')];
    symlinkSync(SHIM, join(first, 'claude'));
    symlinkSync(fake('answers'), join(second, 'claude'));
    const run = await shim(place, { program: join(first, 'claude'), args: ['-p', 'one'], folders: [first, second] });
    expect(run.stdout.toString()).toBe('answer to one\n');
  });

  it('is never a script around the shim, or a copy of the shim', async () => {
    await using place = await createPlace();
    const [first, second, third] = ['first', 'second', 'third'].map((name) => folderOf(place, name));
    script(first ?? '', `exec '${SHIM}' "$@"`);
    copyFileSync(SHIM, join(second ?? '', 'claude'));
    symlinkSync(fake('answers'), join(third ?? '', 'claude'));
    const folders = [first, second, third].map(String);
    const run = await shim(place, { args: ['-p', 'one'], folders });
    expect(run.stdout.toString()).toBe('answer to one\n');
  });

  it.each([{ name: 'claude' }, { name: 'another' }])(
    'is looked for on PATH when CTXB_CLAUDE is $name',
    async ({ name }) => {
      await using place = await createPlace();
      const [first, second] = [folderOf(place, 'first'), folderOf(place, 'second')];
      symlinkSync(SHIM, join(first, name));
      symlinkSync(fake('answers'), join(second, name));
      // Not in the working folder, which may be anybody's.
      symlinkSync(fake('shows-world'), place.path(name));
      const run = await shim(place, { args: ['-p', 'one'], folders: [first, second], env: { CTXB_CLAUDE: name } });
      expect(run.stdout.toString()).toBe('answer to one\n');
    },
  );

  const NONE = 'no claude on PATH besides ctxb itself';

  it.each([
    { title: 'there is none', env: {}, says: NONE },
    {
      title: 'CTXB_CLAUDE names a missing file',
      env: { CTXB_CLAUDE: '/nowhere/claude' },
      says: '/nowhere/claude is not an executable program',
    },
    { title: 'CTXB_CLAUDE names the shim', env: { CTXB_CLAUDE: SHIM }, says: `${SHIM} is ctxb itself` },
  ])('$title: an error with a remedy, and code 127', async ({ env, says }) => {
    await using place = await createPlace();
    const folder = folderOf(place, 'only');
    symlinkSync(process.execPath, join(folder, 'node'));
    symlinkSync(SHIM, join(folder, 'claude'));
    const run = await runProgram(join(folder, 'claude'), ['-p', 'one'], {
      env: { HOME: place.cwd, PATH: folder, ...env },
      cwd: place.cwd,
    });
    expect(run.code).toBe(127);
    expect(run.stdout.toString()).toBe('');
    expect(run.stderr).toContain(says);
    expect(run.stderr).toContain('set CTXB_CLAUDE to its path');
  });

  it('breaks a loop that the files do not show', async () => {
    await using place = await createPlace();
    const folder = folderOf(place, 'round');
    // Named nowhere in the file, so only running it shows what it is.
    const env = { CTXB_CLAUDE: script(folder, 'exec "$THE_OTHER" "$@"'), THE_OTHER: SHIM };
    const run = await shim(place, { args: ['--version'], env });
    expect(run.code).toBe(127);
    expect(run.stdout.toString()).toBe('');
    expect(run.stderr).toContain('starts ctxb again');
  });
});

it('ctxb shim does the same', async () => {
  await using place = await createPlace();
  const run = await shim(place, { program: CTXB, args: ['shim', '--help'], env: { CTXB_CLAUDE: fake('shows-world') } });
  expect(JSON.parse(run.stdout.toString())).toMatchObject({ args: ['--help'] });
  const help = await shim(place, { program: CTXB, args: ['help', 'shim'] });
  expect(help.stdout.toString()).toContain("Usage: ctxb shim [claude's arguments]");
});

it('starts claude alone under ctxb run, so that no run is watched twice', async () => {
  await using place = await createPlace();
  const folder = folderOf(place, 'bin');
  symlinkSync(SHIM, join(folder, 'claude'));
  const run = await ctxb(place, ['run', '--', join(folder, 'claude'), '-p', 'one'], {
    env: { CTXB_CLAUDE: fake('answers'), PLAY_INPUT: place.path('input') },
  });
  expect(run.stdout.toString()).toBe('answer to one\n');
  expect((await inputOf(place)).split('ctxb:pre-compact')).toHaveLength(2);
});

it.each([{ signal: 'SIGTERM' }, { signal: 'SIGHUP' }, { signal: 'SIGINT' }, { signal: 'SIGQUIT' }] as const)(
  '$signal is passed on to claude, and ends both',
  async ({ signal }) => {
    await using place = await createPlace();
    const claude = script(folderOf(place, 'bin'), "echo '{\"pid\": '$$'}'; exec sleep 60");
    const { cwd, env } = place;
    const run = startProgram(SHIM, ['mcp', 'serve'], { cwd, env: { ...env, CTXB_CLAUDE: claude } });
    const { pid } = await run.waitForLine(() => true);
    run.kill(signal);
    expect((await run.finished).code).toBe(128 + constants.signals[signal]);
    expect(isAlive(Number(pid))).toBe(false);
  },
);

import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../support/claude.ts';
import { CTXB, untilClosing } from '../support/ctxb.ts';
import { sampled } from '../support/size.ts';
import { createPlace, ctxb, fakeArguments, isAlive, journalOf, runFake, STREAM, startFake } from './fakes.ts';

describe('the program', () => {
  it('is not found: 127 and its name', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['run', '--prompt', 'hi', '--', 'no-such-claude', '-p']);
    expect(run).toMatchObject({
      code: 127,
      stderr: 'ctxb: no-such-claude: command not found: check its name, or give its path\n',
    });
    expect(run.stdout.toString()).toBe('');
  });

  it('is claude, and not on PATH: how to install it', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['run', '--prompt', 'hi', '--', 'claude', '-p'], { env: { PATH: place.cwd } });
    expect(run.stderr).toBe(
      'ctxb: claude: command not found: install Claude Code (npm install -g @anthropic-ai/claude-code), or give its path\n',
    );
    expect(run.code).toBe(127);
  });

  it.each([
    { title: 'a headless run', args: ['-p', 'hi'] },
    { title: 'an untouched one', args: ['--help'] },
  ])('is not executable: 126 and its name ($title)', async ({ args }) => {
    await using place = await createPlace();
    const file = await place.file('claude', 'not a program');
    const run = await ctxb(place, ['run', '--', file, ...args]);
    expect(run.code).toBe(126);
    expect(run.stderr).toContain(file);
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('is a folder: 126', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['run', '--', place.cwd, '-p', 'hi']);
    expect(run.code).toBe(126);
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    { title: 'says nothing', script: 'exit 5', stdout: '', stderr: '' },
    {
      title: 'says something',
      script: 'echo \'{"type":"result","result":"quick"}\'; exit 5',
      stdout: 'quick\n',
      stderr: '',
    },
    {
      title: 'says on stdout why',
      script: 'echo; echo Please log in.; exit 5',
      stdout: '',
      stderr: 'Please log in.\n',
    },
  ])('is found on PATH and ends before ctxb is ready: it $title', async ({ script, stdout, stderr }) => {
    await using place = await createPlace();
    await writeFile(place.path('claude'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const words = ['run', '--prompt', 'hi', '--', 'claude'];
    const ended = await ctxb(place, words, {
      env: { PATH: `${place.cwd}:${place.env.PATH}` },
    });
    const run = untilClosing(ended);
    expect({ ...run, stdout: run.stdout.toString() }).toMatchObject({ code: 5, stdout, stderr });
  });

  it('is killed before it begins: names the unanswered prompts', async () => {
    await using place = await createPlace();
    await writeFile(place.path('claude'), '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 });
    const run = await ctxb(place, ['run', '--no-restart', '--prompt', 'hi', '--', place.path('claude')]);
    expect(run.stderr).toBe(
      'ctxb: claude has ended and is not started again: 1 prompt not answered (“hi”); continue with ctxb run --resume-run\n',
    );
    expect(run.code).toBe(137);
  });

  it('has a missing interpreter: 126', async () => {
    await using place = await createPlace();
    await writeFile(place.path('claude'), '#!/nowhere/node\n', { mode: 0o755 });
    const run = await ctxb(place, ['run', '--', place.path('claude'), '-p', 'hi']);
    expect(run.stderr).toContain('cannot be started: ENOENT (the interpreter in its first line is missing)');
    expect(run.code).toBe(126);
  });

  it('is missing: 2', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['run', '--prompt', 'hi']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('claude');
  });
});

interface CodeCase {
  readonly title: string;
  readonly fake: string;
  readonly env: Readonly<Record<string, string>>;
  readonly code: number;
}

const CASES: readonly CodeCase[] = [
  { title: 'no result and code 0, prompts left', fake: 'ends-with', env: {}, code: 7 },
  { title: 'no result and code 1', fake: 'ends-with', env: { PLAY_CODE: '1' }, code: 1 },
  { title: 'a code of its own', fake: 'ends-with', env: { PLAY_ERRORS: '0,0', PLAY_CODE: '7' }, code: 7 },
  {
    title: 'its own code after an error',
    fake: 'ends-with',
    env: { PLAY_ERRORS: '1,1', PLAY_CODE: '7' },
    code: 7,
  },
  { title: 'two good results', fake: 'ends-with', env: { PLAY_ERRORS: '0,0' }, code: 0 },
  { title: 'the last result is an error', fake: 'ends-with', env: { PLAY_ERRORS: '0,1', PLAY_CODE: '1' }, code: 1 },
  { title: 'only the first result is an error', fake: 'ends-with', env: { PLAY_ERRORS: '1,0' }, code: 0 },
  { title: 'an error that claude ends with 0', fake: 'ends-with', env: { PLAY_ERRORS: '1,1' }, code: 1 },
  { title: 'killed by SIGKILL', fake: 'kills-itself', env: { PLAY_SIGNAL: 'SIGKILL' }, code: 137 },
  { title: 'killed by SIGTERM', fake: 'kills-itself', env: { PLAY_SIGNAL: 'SIGTERM' }, code: 143 },
  { title: 'killed by SIGINT', fake: 'kills-itself', env: { PLAY_SIGNAL: 'SIGINT' }, code: 130 },
  { title: 'ended before it read anything', fake: 'ends-early', env: { PLAY_CODE: '3' }, code: 3 },
];

describe.each([
  { format: 'text', claude: [] },
  { format: 'stream-json', claude: STREAM },
])('the exit code with $format output', ({ claude }) => {
  it.each(sampled(CASES, 3))('$title: $code', async ({ fake, env, code }) => {
    await using place = await createPlace();
    const run = await runFake(place, { fake, flags: ['--prompt', 'one', '--prompt', 'two'], claude, env });
    // A shell sees 130 then too, and that Ctrl-C was meant for the script as well.
    expect(run).toMatchObject(code === 130 ? { code: null, signal: 'SIGINT' } : { code, signal: null });
    expect(journalOf(place).at(-1)).toMatchObject({ kind: 'end', exitCode: code });
  });
});

it.each([{ signal: 'SIGTERM' }, { signal: 'SIGHUP' }, { signal: 'SIGQUIT' }] as const)(
  '$signal also ends claude',
  async ({ signal }) => {
    await using place = await createPlace();
    const env = { PLAY_PID: place.path('pid') };
    const run = startFake(place, { fake: 'never-ends', flags: ['--prompt', 'one'], claude: STREAM, env });
    await run.waitForLine(({ type }) => type === 'assistant');
    run.kill(signal);
    expect(await run.finished).toMatchObject({ code: 128 + constants.signals[signal], signal: null });
    expect(isAlive(Number(readFileSync(place.path('pid'), 'utf8')))).toBe(false);
  },
);

it.each([
  { subtype: 'error_max_turns', text: 'Error: Reached max turns ()' },
  { subtype: 'error_during_execution', text: 'Execution error' },
])('prints $subtype in text mode as claude does', async ({ subtype, text }) => {
  await using place = await createPlace();
  const run = await runFake(place, {
    fake: 'ends-with',
    flags: ['--prompt', 'one'],
    env: { PLAY_ERRORS: '1', PLAY_SUBTYPE: subtype, PLAY_CODE: '1' },
  });
  expect(run.stdout.toString()).toBe(text);
  expect(run.code).toBe(1);
});

it("ends claude, without waiting, if ctxb's files are replaced while claude starts", async () => {
  await using place = await createPlace();
  const dist = place.path('dist');
  cpSync(dirname(CTXB), dist, { recursive: true });
  const parts = join(dist, 'parts');
  for (const name of readdirSync(parts).filter((name) => name.startsWith('conduct-'))) rmSync(join(parts, name));
  const words = fakeArguments({ fake: 'takes-its-time', flags: ['--prompt', 'one'] });
  const run = await runProgram(process.execPath, [join(dist, 'ctxb.cjs'), ...words], place);
  expect(run).toMatchObject({ code: 70, stderr: expect.stringContaining('Cannot find module') });
});

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createPlace, ctxb, fake, STREAM, startFake } from './fakes.ts';

describe('--dry-run', () => {
  it('prints the command, the added variables and the settings; starts and writes nothing', async () => {
    await using place = await createPlace();
    const options = ['--dry-run', '--cost-limit', '2', '--compact-at', '60%', '--limit-wait', '1h'];
    const run = await ctxb(place, ['run', ...options, '--', 'no-such-claude', '-p', 'say hello']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const text = run.stdout.toString();
    expect(text).toMatch(/^Command, with the prompts on stdin:\nno-such-claude -p .*--max-budget-usd 2\.4/);
    expect(text).toContain('CLAUDE_CODE_RETRY_WATCHDOG=1');
    expect(text).toMatch(/^thresholds\.compact +0\.6 +flag --compact-at$/m);
    expect(existsSync(place.path('.context'))).toBe(false);
  });

  it('accepts other spellings of an option', async () => {
    await using place = await createPlace();
    const options = ['--agent-cost', '0.2', '--agent-tokens', '3000', '--no-recovery', '--dry-run'];
    const run = await ctxb(place, ['run', ...options, '--', 'claude', '-p', 'x']);
    expect(run.stdout.toString()).toMatch(/^agents\.tokens +3000 +flag --max-agent-tokens$/m);
    expect(run.stdout.toString()).toMatch(/^agents\.costUsd +0\.2 +flag --max-agent-cost$/m);
    expect(run.stdout.toString()).toMatch(/^recovery\.enabled +false +flag --no-restart$/m);
  });

  it('is refused with --resume-run', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['run', '--resume-run', '--dry-run']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('leave --resume-run out');
  });
});

describe('--config and --no-config', () => {
  const plan = (...options: string[]) => ['run', ...options, '--dry-run', '--', 'claude', '-p', 'x'];

  it('read that file, or no file', async () => {
    await using place = await createPlace();
    await place.file('.contextbudgetrc', '{"cost":{"limitUsd":1}}');
    mkdirSync(place.path('elsewhere'));
    writeFileSync(place.path('elsewhere/ci.json'), '{"thresholds":{"compact":"50%"},"contextDir":"notes"}');
    const nearest = await ctxb(place, plan());
    const named = await ctxb(place, plan('--config', 'elsewhere/ci.json'));
    const none = await ctxb(place, plan('--no-config'));
    expect(nearest.stdout.toString()).toMatch(/^cost\.limitUsd +1 /m);
    expect(named.stdout.toString()).toMatch(/^cost\.limitUsd +\(not set\)/m);
    expect(named.stdout.toString()).toMatch(/^thresholds\.compact +0\.5 /m);
    expect(named.stdout.toString()).toMatch(/^contextDir +"notes"/m);
    expect(none.stdout.toString()).toMatch(/^cost\.limitUsd +\(not set\)/m);
  });

  it('a missing file is refused', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, plan('--config', 'nowhere.json'));
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('nowhere.json: expected a readable file');
  });
});

describe('--summary', () => {
  const asked = (...options: string[]) => [
    'run',
    ...options,
    '--prompt',
    'one',
    '--prompt',
    'two',
    '--',
    fake('echoes'),
  ];

  it('describes the finished run, and replaces an earlier summary', async () => {
    await using place = await createPlace();
    for (const _ of ['first', 'again'])
      expect(await ctxb(place, asked('--summary', 'run.json'))).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(place.path('run.json'), 'utf8'))).toMatchObject({
      version: 1,
      exitCode: 0,
      reason: 'done',
      turns: 2,
      compactions: 0,
      handoffs: 0,
      unanswered: 0,
      costUsd: expect.any(Number),
      peak: expect.any(Number),
    });
  });

  it('counts the unanswered prompts', async () => {
    await using place = await createPlace();
    const run = await ctxb(
      place,
      ['run', '--summary', 'run.json', '--prompt', 'one', '--prompt', 'two', '--', fake('ends-early')],
      { env: { PLAY_CODE: '0' } },
    );
    expect(run.code).toBe(7);
    expect(JSON.parse(readFileSync(place.path('run.json'), 'utf8'))).toMatchObject({
      exitCode: 7,
      reason: 'unanswered',
      unanswered: 2,
      // claude has ended without a call: nothing is known, which is not nothing.
      costUsd: null,
      aloneUsd: null,
    });
  });

  it('that cannot be written at the end is reported, and the exit code stays', async () => {
    await using place = await createPlace();
    mkdirSync(place.path('out'));
    const run = startFake(place, {
      fake: 'takes-its-time',
      flags: ['--summary', 'out/run.json', '--prompt', 'long one'],
      claude: STREAM,
    });
    await run.waitForLine(({ type }) => type === 'assistant');
    rmSync(place.path('out'), { recursive: true });
    run.kill('SIGINT');
    const { signal, stderr } = await run.finished;
    expect(stderr).toContain(`the summary is not written: ${place.path('out/run.json')}`);
    expect(signal).toBe('SIGINT');
  });

  it.each([{ path: 'nowhere/run.json' }, { path: 'mine.json' }])(
    '$path is refused, and nothing is started',
    async ({ path }) => {
      await using place = await createPlace();
      await place.file('mine.json', '{"mine": true}');
      const run = await ctxb(place, asked('--summary', path));
      expect(run.code).toBe(2);
      expect(run.stderr).toContain(`--summary ${place.path(path)} `);
      expect(run.stdout.toString()).toBe('');
    },
  );
});

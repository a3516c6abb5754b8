import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { isAlive } from '../cli/fakes.ts';
import { promptLine, runProgram, startWorld } from '../support/claude.ts';
import { conversation, mainRequests, userTexts } from '../support/conversation.ts';
import { outputLines, PROTOCOL, runCtxb, SMALL_WINDOW, startCtxb, untilClosing } from '../support/ctxb.ts';
import { inSoak, sampled } from '../support/size.ts';

/** Tells that claude has started. */
const BEGUN = { hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'touch begun' }] }] } };

/** Kills the first claude. */
const DIES_ONCE = {
  hooks: {
    SessionStart: [{ hooks: [{ type: 'command', command: '[ -e pid ] || { echo $PPID > pid; kill -9 $PPID; }' }] }],
  },
};

const lines = (...texts: string[]) => texts.map((text) => `${JSON.stringify(promptLine(text))}\n`).join('');

it('lines that are piped in at once get one turn each, in order, and the end of the input loses no tool', async () => {
  await using world = await startWorld(conversation({ turns: [2, 2, 4], growBy: 1_000 }));
  // The input ends before claude has even started: all turns run without the caller.
  const run = await runCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL], stdin: lines('one', 'two', 'three') });

  const results = outputLines(run)
    .filter((line) => line.type === 'user')
    .flatMap((line) => (line.message as { content: { type: string; is_error?: boolean; content: string }[] }).content);
  expect(results.map(({ is_error, content }) => ({ is_error, content }))).toEqual(
    [1, 1, 1, 2, 3].map((step) => ({ is_error: false, content: `step ${step}` })),
  );
  expect(untilClosing(run).stderr).toBe('');
  expect(run.code).toBe(0);
  expect(
    outputLines(run)
      .filter((line) => line.type === 'result')
      .map((line) => line.result),
  ).toEqual(['answer 1', 'answer 2', 'answer 3']);
  expect([0, 2, 4].map((index) => userTexts(mainRequests(world.standin)[index]).at(-1))).toEqual([
    'one',
    'two',
    'three',
  ]);
});

it('claude starts while its prompt is still being piped in', async () => {
  await using world = await startWorld({ calls: [{ text: 'read' }] });
  const program = startCtxb(world, {
    claude: [...SMALL_WINDOW, '--settings', JSON.stringify(BEGUN), '-p', 'Sum it up:'],
  });
  const begun = join(world.scratch.cwd, 'begun');
  program.stdin.write('first half, ');
  await vi.waitFor(() => expect(existsSync(begun)).toBe(true), { timeout: 30_000 });
  program.stdin.end('second half');
  expect((await program.finished).stdout.toString()).toBe('read\n');
  expect(userTexts(mainRequests(world.standin)[0]).at(-1)).toBe('Sum it up:\nfirst half, second half');
});

it.each(sampled(['SIGINT', 'SIGTERM'] as const))(
  '%s ends ctxb and claude while a prompt is still being piped in',
  async (signal) => {
    await using world = await startWorld({ calls: [{ text: 'read' }] });
    const program = startCtxb(world, {
      claude: [...SMALL_WINDOW, '--settings', JSON.stringify(BEGUN), '-p', 'Sum it up:'],
    });
    program.stdin.write('first half');
    await vi.waitFor(() => expect(existsSync(join(world.scratch.cwd, 'begun'))).toBe(true), { timeout: 30_000 });
    program.kill(signal);
    const run = await program.finished;
    expect(run).toMatchObject(signal === 'SIGINT' ? { signal } : { code: 128 + constants.signals[signal] });
    expect(world.standin.requests).toEqual([]);
  },
);

it('a prompt that is still being piped in when claude dies reaches the next claude', async () => {
  await using world = await startWorld({ calls: [{ text: 'read' }] });
  const program = startCtxb(world, {
    claude: [...SMALL_WINDOW, '--settings', JSON.stringify(DIES_ONCE), '-p', 'Sum it up:'],
  });
  program.stdin.write('first half, ');
  await vi.waitFor(() => expect(isAlive(Number(readFileSync(join(world.scratch.cwd, 'pid'), 'utf8')))).toBe(false), {
    timeout: 30_000,
  });
  program.stdin.end('second half');
  expect(await program.finished).toMatchObject({ code: 0 });
  expect(mainRequests(world.standin).map((request) => userTexts(request).at(-1))).toEqual([
    'Sum it up:\nfirst half, second half',
  ]);
});

it.each(sampled(['SIGINT', 'SIGTERM'] as const))(
  '%s ends a run whose claude died before its whole prompt was there',
  async (signal) => {
    await using world = await startWorld({ calls: [{ text: 'read' }] });
    const program = startCtxb(world, {
      claude: [...SMALL_WINDOW, '--settings', JSON.stringify(DIES_ONCE), '-p', 'Sum it up:'],
    });
    program.stdin.write('first half, ');
    const pid = () => Number(readFileSync(join(world.scratch.cwd, 'pid'), 'utf8'));
    // Its number is free once ctxb has heard of the death.
    await vi.waitFor(() => expect(() => process.kill(pid(), 0)).toThrow('ESRCH'), { timeout: 30_000 });
    program.kill(signal);
    const run = await program.finished;
    expect(run).toMatchObject(signal === 'SIGINT' ? { signal } : { code: 128 + constants.signals[signal] });
  },
);

it.each(sampled(['--observe', '--no-restart']))(
  'without a restart, a claude that dies ends the run although a prompt is still being piped in: %s',
  async (flag) => {
    await using world = await startWorld({ calls: [] });
    const program = startCtxb(world, {
      flags: [flag],
      claude: [...SMALL_WINDOW, '--settings', JSON.stringify(DIES_ONCE), '-p', 'Sum it up:'],
    });
    program.stdin.write('first half, ');
    expect(await program.finished).toMatchObject({ code: 128 + constants.signals.SIGKILL });
  },
);

it('a claude that refuses its arguments ends the run although a prompt is still being piped in', async () => {
  await using world = await startWorld({ calls: [] });
  const program = startCtxb(world, { claude: ['--model', 'x', '--settings', 'no-such-file.json', '-p', 'Sum it up:'] });
  program.stdin.write('first half');
  const run = await program.finished;
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('no-such-file.json') });
});

it.each(
  sampled([
    { prompt: 'an argument and a pipe', claude: ['-p', 'Sum it up:'] },
    { prompt: 'a pipe', claude: ['-p'] },
  ]),
)(
  "$prompt larger than claude accepts: claude's own message and exit code, and ctxb reads no further",
  async ({ claude }) => {
    await using world = await startWorld({ calls: [] });
    const stdin = Buffer.alloc(64 * 1024 * 1024, 'no end of words ');
    const alone = await runProgram(world.claude, claude, { ...world.scratch, stdin });
    expect(alone.stderr).toContain('exceeds 10MB');
    const run = await runCtxb(world, { claude, stdin });
    expect(run).toMatchObject(alone);
  },
);

it('without any line claude ends as without ctxb', async () => {
  await using world = await startWorld(conversation({ turns: [1], growBy: 0 }));
  const run = await runCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL], stdin: '' });
  expect({ code: run.code, stdout: run.stdout.toString() }).toEqual({ code: 0, stdout: '' });
});

inSoak('an agent that has asked to be woken is woken before the run ends', async () => {
  const wakeup = { delaySeconds: 60, reason: 'poll', prompt: 'LOOK AGAIN' };
  await using world = await startWorld({
    calls: [{ tools: [{ name: 'ScheduleWakeup', input: wakeup }] }, { text: 'asleep' }, { text: 'awake' }],
  });
  const run = await runCtxb(world, { claude: [...SMALL_WINDOW, '-p', 'watch it'], flags: ['--stall-after', '30s'] });
  expect(untilClosing(run).stderr).toBe('');
  expect(run.stdout.toString()).toBe('asleep\n\nawake\n');
  expect(userTexts(mainRequests(world.standin).at(-1)).at(-1)).toBe('LOOK AGAIN');
});

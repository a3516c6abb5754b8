import { existsSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { runProgram, startWorld } from '../support/claude.ts';
import { CTXB, journalLines, prompts, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { quoted } from '../support/interactive.ts';
import { expectEachPromptOnce } from '../support/proof.ts';
import { atTerminal } from '../support/pty.ts';
import { firstOf } from '../support/size.ts';

const STREAM = ['--output-format', 'stream-json', '--verbose'];
// claude 2.1.330 refuses a command that is nothing but a sleep.
const SLEEP = {
  tools: [{ name: 'Bash', input: { command: 'touch begun; sleep 300', description: 'Wait' } }],
  context: 20_000,
};

function isToolCall(line: Readonly<Record<string, unknown>>): boolean {
  return line.type === 'assistant' && JSON.stringify(line).includes('sleep 300');
}

it('Ctrl-C at a terminal interrupts the turn, and ends the run after its result', async () => {
  await using world = await startWorld({ calls: [SLEEP] });
  const { env, cwd } = world.scratch;
  const flags = ['--prompt', 'wait', '--prompt', 'never sent'];
  const run = quoted([process.execPath, CTXB, 'run', ...flags, '--', world.claude, ...SMALL_WINDOW, ...STREAM]);
  await using program = atTerminal(`exec ${run}`, { env, cwd });
  await program.shows(/"command":"touchbegun;sleep300"/);
  program.type('\u0003');
  await program.shows(/"subtype":"error_during_execution"[\s\S]*therunwasstopped:2promptsnotanswered/);
  // As a shell tells the end by SIGINT.
  expect(await program.ended).toBe(130);
  expect(JSON.stringify(world.standin.requests)).not.toContain('never sent');
});

it('the person at the terminal can still answer after claude was restarted', async () => {
  const dies = { tools: [{ name: 'Bash', input: { command: 'kill -9 $PPID', description: 'End' } }], context: 5_000 };
  await using world = await startWorld({
    calls: [dies, { text: 'answered the first', context: 100_000 }, { text: 'answered the next' }],
  });
  const { env, cwd } = world.scratch;
  const wrapper = join(cwd, 'claude');
  writeFileSync(wrapper, `#!/bin/sh\n${quoted([world.claude])} "$@"\nexit $?\n`, { mode: 0o755 });
  const claude = [wrapper, ...SMALL_WINDOW, ...STREAM, '-p', 'begin'];
  const flags = ['--prompt', 'the next', '--cost-limit', '0.20'];
  const run = quoted([process.execPath, CTXB, 'run', ...flags, '--', ...claude]);
  await using program = atTerminal(`exec ${run}`, { env, cwd });
  await program.shows(/startingitagain/);
  await program.shows(/Goon\?\[y:upto/);
  program.type('y\r');
  await program.shows(/"result":"answeredthenext"/);
  expect(await program.ended).toBe(0);
});

it.each(
  firstOf([
    { signals: ['SIGTERM'], code: 143 },
    { signals: ['SIGHUP'], code: 129 },
  ] as const),
)('$signals ends claude too and exits $code', async ({ signals, code }) => {
  await using world = await startWorld({ calls: [SLEEP] });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...STREAM, '-p', 'wait'] });
  await program.waitForLine(isToolCall);
  for (const signal of signals) program.kill(signal);
  const run = await program.finished;

  expect(run.code).toBe(code);
  expect(isAlive(childPid(world))).toBe(false);
});

/** Keeps the first claude from its session until it is ended. */
const FIRST_WAITS = { hooks: [{ type: 'command', command: 'test -e began || { touch began; sleep 300; }' }] };

it.each(firstOf(['SIGTERM', 'SIGHUP', 'SIGINT'] as const))(
  'a run that %s ends before claude has a session names the unanswered prompts, and can be resumed',
  async (signal) => {
    await using world = await startWorld({ calls: [{ text: 'one' }, { text: 'two' }] });
    const settings = ['--settings', JSON.stringify({ hooks: { SessionStart: [FIRST_WAITS] } })];
    const program = startCtxb(world, { flags: prompts('first', 'second'), claude: [...SMALL_WINDOW, ...settings] });
    program.stdin.end();
    const { env, cwd } = world.scratch;
    await vi.waitFor(() => expect(existsSync(join(cwd, 'began'))).toBe(true), { timeout: 30_000 });
    program.kill(signal);
    const run = await program.finished;

    expect(run).toMatchObject(signal === 'SIGINT' ? { signal } : { code: 128 + constants.signals[signal] });
    expect(world.standin.requests).toEqual([]);
    expect(run.stderr).toMatch(/2 prompts not answered \(.*\); continue with ctxb run --resume-run$/m);
    const resumed = await runProgram(process.execPath, [CTXB, 'run', '--resume-run'], { env, cwd });
    expect(resumed.code).toBe(0);
    expect(resumed.stdout.toString()).toBe('one\ntwo\n');
    expectEachPromptOnce(world.standin, ['first', 'second']);
  },
);

it('SIGINT to claude alone, while a tool runs, leaves its prompt and the next ones to --resume-run', async () => {
  await using world = await startWorld({
    calls: [{ text: 'one' }, SLEEP, { text: 'two' }, { text: 'three' }],
  });
  const program = startCtxb(world, { flags: prompts('first', 'second', 'third'), claude: [...SMALL_WINDOW] });
  program.stdin.end();
  const { env, cwd } = world.scratch;
  await vi.waitFor(() => expect(existsSync(join(cwd, 'begun'))).toBe(true), { timeout: 30_000 });
  process.kill(childPid(world), 'SIGINT');
  const run = await program.finished;

  expect(run.stdout.toString()).toBe('one\n');
  expect([1, 7]).toContain(run.code);
  expect(run.stderr).toMatch(/2 prompts not answered \(.*\); continue with ctxb run --resume-run$/m);
  const resumed = await runProgram(process.execPath, [CTXB, 'run', '--resume-run'], { env, cwd });
  expect(resumed.code).toBe(0);
  expect(resumed.stdout.toString()).toBe('two\nthree\n');
  expectEachPromptOnce(world.standin, ['first', 'second', 'third']);
});

it('Ctrl-C twice ends claude without waiting for the turn', async () => {
  // The model takes its time, so the interrupt alone would have to wait for it.
  await using world = await startWorld({ calls: [SLEEP] });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...STREAM, '-p', 'wait'] });
  await program.waitForLine(isToolCall);
  program.kill('SIGINT');
  program.kill('SIGINT');
  const run = await program.finished;
  expect(run.signal).toBe('SIGINT');
  expect(isAlive(childPid(world))).toBe(false);
});

function childPid(world: Parameters<typeof journalLines>[0]): number {
  return Number(journalLines(world).find((entry) => entry.kind === 'start')?.pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { promptLine, startWorld } from '../support/claude.ts';
import { conversation, mainRequests, userTexts } from '../support/conversation.ts';
import { outputLines, PROTOCOL, runCtxb, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { sampled } from '../support/size.ts';

/** Tells that claude has started. */
const BEGUN = { hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'touch begun' }] }] } };

const lines = (...texts: string[]) => texts.map((text) => `${JSON.stringify(promptLine(text))}\n`).join('');

it("the caller's end of input in mid-turn, with our hooks registered, loses no tool", async () => {
  await using world = await startWorld(conversation({ turns: [6], growBy: 1_000 }));
  // The input ends before claude has even started: the whole turn runs without the caller.
  const run = await runCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL], stdin: lines('do six things') });

  const results = outputLines(run)
    .filter((line) => line.type === 'user')
    .flatMap((line) => (line.message as { content: { type: string; is_error?: boolean; content: string }[] }).content);
  expect(results.map(({ is_error, content }) => ({ is_error, content }))).toEqual(
    [1, 2, 3, 4, 5].map((step) => ({ is_error: false, content: `step ${step}` })),
  );
  expect(run.stderr).toBe('');
  expect(run.code).toBe(0);
});

it('lines that are piped in all at once are a turn each, in order', async () => {
  await using world = await startWorld(conversation({ turns: [2, 2, 2], growBy: 1_000 }));
  const run = await runCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL], stdin: lines('one', 'two', 'three') });

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

it('claude starts while what is piped to its prompt is still being written', async () => {
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
  '%s ends ctxb and claude while something is still piped to the prompt',
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

it('a claude that refuses its arguments ends the run, though something is still piped to the prompt', async () => {
  await using world = await startWorld({ calls: [] });
  const program = startCtxb(world, { claude: ['--model', 'x', '--settings', 'no-such-file.json', '-p', 'Sum it up:'] });
  program.stdin.write('first half');
  const run = await program.finished;
  expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('no-such-file.json') });
});

it('no line at all ends claude as without ctxb', async () => {
  await using world = await startWorld(conversation({ turns: [1], growBy: 0 }));
  const run = await runCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL], stdin: '' });
  expect({ code: run.code, stdout: run.stdout.toString() }).toEqual({ code: 0, stdout: '' });
});

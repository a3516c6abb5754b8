import { expect, it } from 'vitest';
import { promptLine, startWorld } from '../support/claude.ts';
import { conversation, mainRequests, userTexts } from '../support/conversation.ts';
import { outputLines, PROTOCOL, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';

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

it('no line at all ends claude as without ctxb', async () => {
  await using world = await startWorld(conversation({ turns: [1], growBy: 0 }));
  const run = await runCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL], stdin: '' });
  expect({ code: run.code, stdout: run.stdout.toString() }).toEqual({ code: 0, stdout: '' });
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { runProgram, startWorld } from '../support/claude.ts';
import { conversation, givenTexts, instructionsOf, mainRequests, summaryRequests } from '../support/conversation.ts';
import { journal, LARGE_WINDOW, outputLines, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { firstOf, inSoak } from '../support/size.ts';
import { steps } from '../support/standin/scenario.ts';

const PROMPT = 'Do the long job: "quotes", ünïcode, and\na second line.';
const STREAM = ['--output-format', 'stream-json', '--verbose'];

it.each(
  firstOf([
    { name: '200,000', model: SMALL_WINDOW, window: 200_000, trigger: 167_000, from: 105_000, growBy: 4_000 },
    { name: '1,000,000', model: LARGE_WINDOW, window: 1_000_000, trigger: 967_000, from: 525_000, growBy: 25_000 },
  ]),
)('a single prompt of 22 calls is compacted at the placed trigger of a window of $name tokens', async (test) => {
  const { model, trigger, from, growBy, window } = test;
  await using world = await startWorld(conversation({ turns: [22], from, growBy }));
  const run = await runCtxb(world, { claude: [...model, ...STREAM, '-p', PROMPT] });

  expect(run.code).toBe(0);
  const results = outputLines(run).filter((line) => line.type === 'result');
  expect(results).toHaveLength(1);
  expect(results[0]).toMatchObject({ result: 'answer 1', is_error: false });
  expect(journal(world).find((one) => nameOf(one) === 'mid-turn:trigger')).toMatchObject({
    tokens: trigger,
    gauge: { window, windowSource: 'asked' },
  });

  // claude compacts before the first call whose context is at or above the trigger, give or take one call.
  expect(summaryRequests(world.standin)).toHaveLength(1);
  const [summary] = summaryRequests(world.standin);
  const callsBefore = mainRequests(world.standin).filter(({ index }) => index < (summary?.index ?? 0)).length;
  const expected = Math.ceil((trigger - from) / growBy) + 1;
  expect(Math.abs(callsBefore - expected)).toBeLessThanOrEqual(1);
  expect(instructionsOf(summary)).toContain('focus on Do the long job: "quotes", ünïcode, and a second line.');

  // The running prompt is in the first request after it, word for word.
  const after = mainRequests(world.standin).find(({ index }) => index > (summary?.index ?? 0));
  expect(givenTexts(after).filter((text) => text.includes(PROMPT))).toHaveLength(1);
  expect(journal(world).map(nameOf)).toEqual(expect.arrayContaining(['mid-turn:focus', 'mid-turn:prompts']));
});

it('reports once that claude has no room for a summary, and does not pay for an attempt at each call', async () => {
  const command = 'for log in "$CLAUDE_CONFIG_DIR"/projects/*/*.jsonl; do ln -sf /dev/full "$log"; done';
  const tool = (step: number) => ({ name: 'Bash', input: { command: step === 1 ? command : `echo ${step}` } });
  await using world = await startWorld({ calls: steps({ count: 6, from: 160_000, growBy: 3_000, tool }) });
  const { stdout, stderr } = await runCtxb(world, { claude: [...SMALL_WINDOW, '-p', PROMPT] });
  expect(stdout.toString()).toBe('Done.\n');
  expect(stderr.match(/^ctxb: .*compact.*$/gm)).toEqual([
    expect.stringMatching(/claude cannot compact: ENOSPC.*; no further compaction until the context shrinks/),
  ]);
  expect(summaryRequests(world.standin)).toHaveLength(1);
});

inSoak('keeps a prompt that is too long to hand back in a file, and names the file', async () => {
  const prompt = `Begin here. ${'All of this matters. '.repeat(600)}The end.`;
  await using world = await startWorld(conversation({ turns: [12], from: 40_000, growBy: 15_000 }));
  const run = await runCtxb(world, { claude: [...SMALL_WINDOW, '-p', prompt] });

  expect(run.code).toBe(0);
  const [summary] = summaryRequests(world.standin);
  const after = mainRequests(world.standin).find(({ index }) => index > (summary?.index ?? 0));
  // claude puts it behind a tool's result, together with reminders of its own.
  const given = givenTexts(after).find((text) => text.includes('Begin here.')) ?? '';
  const handedBack = given.slice(given.indexOf('The context was compacted'));
  expect(handedBack.length).toBeLessThan(9_000);
  const file = /read (\S+) for the whole/.exec(handedBack)?.[1];
  expect(readFileSync(`${world.scratch.cwd}/${file}`, 'utf8')).toBe(prompt);
});

it.each(
  firstOf([
    { name: 'CLAUDE_CODE_AUTO_COMPACT_WINDOW', env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '120000' }, claude: [] },
    { name: 'DISABLE_AUTO_COMPACT', env: { DISABLE_AUTO_COMPACT: '1' }, claude: [] },
    { name: 'the setting', env: {}, claude: ['--settings', '{"autoCompactEnabled":false}'] },
    {
      name: 'the variable in the settings',
      env: {},
      claude: ['--settings', '{"env":{"CLAUDE_CODE_AUTO_COMPACT_WINDOW":"120000"}}'],
    },
  ]),
)("leaves claude's trigger alone if the caller set it by $name", async ({ env, claude }) => {
  await using world = await startWorld(conversation({ turns: [3], growBy: 1_000 }));
  const run = await runCtxb(world, { claude: [...SMALL_WINDOW, ...claude, '-p', 'hello'], env });

  expect(run.stdout.toString()).toBe('answer 1\n');
  expect(journal(world).map(nameOf)).not.toContain('mid-turn:trigger');
});

inSoak("leaves claude's trigger alone if the caller set it by --autocompact", async ({ skip }) => {
  await using world = await startWorld(conversation({ turns: [3], growBy: 1_000 }));
  const help = await runProgram(world.claude, ['--help'], world.scratch);
  if (!help.stdout.includes('--autocompact')) skip('this claude has no such option');
  const run = await runCtxb(world, { claude: [...SMALL_WINDOW, '--autocompact', '120000', '-p', 'hello'] });

  expect(run.stdout.toString()).toBe('answer 1\n');
  expect(journal(world).map(nameOf)).not.toContain('mid-turn:trigger');
});

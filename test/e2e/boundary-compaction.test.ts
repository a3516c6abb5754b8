import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { startWorld } from '../support/claude.ts';
import { conversation, instructionsOf, mainRequests, summaryRequests, userTexts } from '../support/conversation.ts';
import { journal, outputLines, prompts, readLines, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { expectSameDecisions } from '../support/proof.ts';

const FOUR = ['prompt one: α "quoted"', 'prompt two\nwith two lines', 'prompt three', 'prompt four'];

it('a turn of 12 calls whose result.usage sums to over 500,000 at a context of 60,000 causes nothing', async () => {
  await using world = await startWorld(conversation({ turns: [12], from: 38_000, growBy: 2_000 }));
  const run = await runCtxb(world, {
    flags: prompts('do twelve things'),
    claude: [...SMALL_WINDOW, '--output-format', 'stream-json', '--verbose'],
  });

  const result = outputLines(run).find((line) => line.type === 'result');
  const usage = result?.usage as Record<string, number>;
  const summed =
    (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
  expect(summed).toBeGreaterThan(500_000);
  expect(run.code).toBe(0);
  expect(journal(world).map(nameOf)).toEqual(['mid-turn:trigger']);
  expect(summaryRequests(world.standin)).toHaveLength(0);
});

it('four prompts that cross 156,000 tokens cause one compaction, between two turns, and each prompt arrives once', async () => {
  await using world = await startWorld(conversation({ turns: [4, 4, 3, 2], growBy: 18_000 }));
  const run = await runCtxb(world, {
    flags: [...prompts(...FOUR), '--task', 'the task', '--state', 'half way', '--record', 'run.ndjson'],
    claude: SMALL_WINDOW,
  });

  expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\nanswer 4\n');
  expect(run.code).toBe(0);
  const decisions = journal(world);
  expect(decisions.map(nameOf)).toEqual([
    'mid-turn:trigger',
    'warn',
    'compact',
    'recall',
    'compacted',
    'landed',
    'receipt',
  ]);
  const compact = decisions.find(({ kind }) => kind === 'compact');
  expect(compact).toMatchObject({
    at: { turn: 2, call: 8 },
    gauge: { used: 156_000, window: 200_000, basis: 'measured' },
  });
  expect(decisions.at(-2)).toMatchObject({ kind: 'landed', gauge: { used: 30_000 }, at: { turn: 2, call: 9 } });

  // The compaction went alone: focus as its argument, none of the waiting prompts with it.
  const [summary, ...more] = summaryRequests(world.standin);
  expect(more).toEqual([]);
  expect(instructionsOf(summary)).toMatch(
    /^focus on the task -- current state is half way -- say that notes of the whole session are in \S+\/scratch\.md$/,
  );
  expect(userTexts(summary).filter((text) => FOUR.slice(2).some((prompt) => text.includes(prompt)))).toEqual([]);

  // Every prompt reached the model once, whole, in order: each is the last thing said in its turn's first request.
  const requests = mainRequests(world.standin);
  const starts = [0, 4, 8, 11].map((index) => userTexts(requests[index]).at(-1));
  expect(starts).toEqual(FOUR);
  for (const [turn, prompt] of FOUR.entries()) {
    const before = [0, 4, 8, 11][turn] ?? 0;
    expect(userTexts(requests[before]).filter((text) => text === prompt)).toHaveLength(1);
    expect(requests.slice(0, before).flatMap(userTexts)).not.toContain(prompt);
  }
  await expectSameDecisions(world, 'run.ndjson');
});

it('prompts that wait are on disk before they are held, and noted when they are delivered', async () => {
  await using world = await startWorld(conversation({ turns: [1, 1], growBy: 1_000 }));
  await runCtxb(world, { flags: prompts('first', 'second'), claude: SMALL_WINDOW });

  const mailbox = readLines(join(world.scratch.cwd, '.context', 'mailbox.ndjson'));
  const held = mailbox.filter((entry) => 'held' in entry).map((entry) => entry.held);
  const delivered = mailbox.filter((entry) => 'delivered' in entry).map((entry) => entry.delivered);
  expect(delivered).toHaveLength(2);
  // The first goes at once; the second waits for the first one's turn to end.
  expect(held).toEqual(delivered.slice(1));
});

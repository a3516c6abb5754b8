import { expect } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { startWorld } from '../support/claude.ts';
import { conversation, mainRequests, summaryRequests } from '../support/conversation.ts';
import { journal, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { growing } from '../support/handoff.ts';
import { expectEachPromptOnce, kinds } from '../support/proof.ts';
import { inSoak } from '../support/size.ts';

inSoak(
  'a turn that fills its window again every five calls is reported at the third compaction and ended at the fifth',
  async () => {
    await using world = await startWorld(conversation({ turns: [60, 1], growBy: 29_000 }));
    const run = await runCtxb(world, { flags: prompts('prompt one', 'prompt two'), claude: SMALL_WINDOW });
    expect(run.code).toBe(4);
    expect(summaryRequests(world.standin)).toHaveLength(5);
    // No call follows the fifth, so only the notice that ends the turn counts it.
    expect(run.stderr.match(/claude compacted mid-turn/g)).toHaveLength(4);
    expect(run.stderr).toMatch(
      /3 compactions in one turn, each within 10 calls of the one before, filled again by Bash/,
    );
    expect(run.stderr).toMatch(/5 compactions in one turn.*: ending the turn/);
    expect(run.stderr).toMatch(/; the work so far: \.context\/handoffs\/handoff-\S+\.md/);
    expect(journal(world).map(nameOf)).toContain('give-up:run');
  },
);

inSoak('without compaction, hands over before the question for the document triggers one', async () => {
  const three = ['prompt one', 'prompt two', 'prompt three'];
  await using world = await startWorld(growing({ turns: [4, 4, 1], growBy: 18_600 }));
  const run = await runCtxb(world, { flags: [...prompts(...three), '--no-compaction'], claude: SMALL_WINDOW });
  expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\n');
  expect(summaryRequests(world.standin)).toHaveLength(0);
  expect(kinds(world)).toEqual(['handoff', 'handed-over', 'landed']);
  expect(run.stderr).toMatch(/handing over to a fresh context: 160,2\d\d tokens have crossed 159,000 of 200,000/);
  expect(journal(world).find(({ kind }) => kind === 'handed-over')).toMatchObject({ by: 'agent' });
  expectEachPromptOnce(world.standin, three);
});

inSoak(
  'above the trigger of claude, the document is made from the notes, because the question would trigger a compaction',
  async () => {
    const three = ['prompt one', 'prompt two', 'prompt three'];
    await using world = await startWorld(growing({ turns: [4, 4, 1], growBy: 20_200 }));
    const run = await runCtxb(world, { flags: [...prompts(...three), '--no-compaction'], claude: SMALL_WINDOW });
    expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\n');
    expect(summaryRequests(world.standin)).toHaveLength(0);
    expect(mainRequests(world.standin)).toHaveLength(9);
    expect(journal(world).find(({ kind }) => kind === 'handed-over')).toMatchObject({ by: 'memory' });
  },
);

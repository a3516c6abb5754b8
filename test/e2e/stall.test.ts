import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startWorld, type World } from '../support/claude.ts';
import { mainRequests, userTexts } from '../support/conversation.ts';
import { prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { expectSameDecisions, kinds } from '../support/proof.ts';
import { inSoak, sampled } from '../support/size.ts';
import type { Call } from '../support/standin/scenario.ts';

const HOUR_MS = 3_600_000;
const ECHO = { name: 'Bash', input: { command: 'echo one', description: 'One' } };

async function run(world: World, ...texts: string[]) {
  const record = join(world.scratch.cwd, 'run.ndjson');
  const flags = ['--stall-after', '30s', '--record', record, ...prompts(...texts)];
  const end = await runCtxb(world, { flags, claude: SMALL_WINDOW });
  await expectSameDecisions(world, record);
  return end;
}

describe('the API accepts a call and never answers', () => {
  it.each(
    sampled<{ name: string; calls: Call[] }>(
      [
        {
          name: 'the first',
          calls: [{ delayMs: HOUR_MS }, { text: 'answer 1' }, { text: 'answer 2' }],
        },
        {
          name: 'behind a tool',
          calls: [{ tools: [ECHO] }, { delayMs: HOUR_MS }, { text: 'answer 1' }, { text: 'answer 2' }],
        },
        {
          name: 'in the middle of an answer',
          calls: [{ text: 'half an answer', stops: true }, { text: 'answer 1' }, { text: 'answer 2' }],
        },
      ],
      3,
    ),
  )('$name: claude is started again and both prompts are answered once', async ({ calls }) => {
    await using world = await startWorld({ calls });
    const { code, stdout } = await run(world, 'prompt one', 'prompt two');
    expect([code, stdout.toString()]).toEqual([0, 'answer 1\nanswer 2\n']);
    expect(kinds(world)).toEqual(['silence:claude', 'restart', 'resume']);
    // claude ends the line of a prompt that was interrupted before it was answered.
    const texts = userTexts(mainRequests(world.standin).at(-1)).map((text) => text.trimEnd());
    expect(texts.filter((text) => text.startsWith('prompt '))).toEqual(['prompt one', 'prompt two']);
  });
});

inSoak('a subagent whose call is never answered', async () => {
  const input = { description: 'A', prompt: 'DO A', subagent_type: 'general-purpose', run_in_background: false };
  await using world = await startWorld({
    calls: [{ tools: [{ name: 'Agent', input }] }, { text: 'answer 1' }],
    subagentCalls: () => ({ delayMs: HOUR_MS }),
  });
  const { code, stdout } = await run(world, 'prompt one');
  expect([code, stdout.toString()]).toEqual([0, 'answer 1\n']);
  expect(kinds(world).filter((kind) => kind === 'silence:claude')).toHaveLength(1);
});

inSoak('a tool that runs longer is no stall; ctxb names it with its command', async () => {
  const input = { command: 'i=0; while [ $i -lt 350 ]; do i=$((i+1)); sleep 0.1; done', description: 'Wait' };
  await using world = await startWorld({ calls: [{ tools: [{ name: 'Bash', input }] }, { text: 'answer 1' }] });
  const { code, stdout, stderr } = await run(world, 'prompt one');
  expect([code, stdout.toString()]).toEqual([0, 'answer 1\n']);
  expect(kinds(world)).toEqual(['silence:tool']);
  expect(stderr).toMatch(/ctxb: a tool has run for \d+(?:\.\d)? s: Bash i=0; while/);
});

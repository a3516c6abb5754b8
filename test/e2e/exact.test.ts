import { expect, it } from 'vitest';
import type { Scenario } from '../../src/standin/scenario.ts';
import { startWorld } from '../support/claude.ts';
import { mainRequests, summaryRequests } from '../support/conversation.ts';
import { journal, outputLines, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';

/** A job whose context is what its requests hold: 20,000 tokens, and 15,000 for each of the agent's answers. */
function job(turns: readonly number[], growBy = 15_000): Scenario {
  const script = turns.flatMap((calls, turn) =>
    Array.from({ length: calls }, (_, call) =>
      call + 1 < calls
        ? { tools: [{ name: 'Bash', input: { command: `echo step ${turn + 1}.${call + 1}`, description: 'A step' } }] }
        : { text: `answer ${turn + 1}` },
    ),
  );
  return {
    calls: ({ body }, index) => {
      const answers = (body.messages ?? []).filter(({ role }) => role === 'assistant').length;
      return { ...(script[index] ?? { text: 'Nothing more.' }), context: 20_000 + growBy * answers };
    },
  };
}

it('between two turns', async () => {
  await using world = await startWorld(job([4, 4, 4, 4]));
  const run = await runCtxb(world, {
    flags: prompts('prompt one', 'prompt two', 'prompt three', 'prompt four'),
    claude: [...SMALL_WINDOW, '--output-format', 'stream-json', '--verbose'],
  });
  console.log(
    run.stderr,
    JSON.stringify(
      journal(world).map(({ kind, reason }) => [kind, reason]),
      null,
      1,
    ),
  );
  console.log(
    outputLines(run)
      .map(({ type, subtype }) => `${type}/${subtype ?? ''}`)
      .join(' '),
  );
  const at = outputLines(run).findIndex(({ subtype }) => subtype === 'compact_boundary');
  console.log(
    outputLines(run)
      .slice(at, at + 5)
      .map((l) => JSON.stringify(l).slice(0, 500))
      .join('\n'),
  );
  expect(summaryRequests(world.standin)).toHaveLength(0);
  expect(mainRequests(world.standin)).toHaveLength(16);
});

it('in mid-turn', async () => {
  await using world = await startWorld(job([24]));
  const run = await runCtxb(world, {
    flags: prompts('prompt one'),
    claude: [...SMALL_WINDOW, '--output-format', 'stream-json', '--verbose'],
  });
  console.log(
    run.stderr,
    JSON.stringify(
      journal(world).map(({ kind, reason }) => [kind, reason]),
      null,
      1,
    ),
  );
  console.log(
    outputLines(run)
      .map(({ type, subtype }) => `${type}/${subtype ?? ''}`)
      .join(' '),
  );
  expect(summaryRequests(world.standin)).toHaveLength(0);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startWorld, type World } from '../support/claude.ts';
import { instructionsOf, summaryRequests } from '../support/conversation.ts';
import { CTXB, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { inSoak } from '../support/size.ts';
import type { Call, Scenario } from '../support/standin/scenario.ts';

/** Two turns with a compaction between them; in the first, the agent runs these commands. */
function job(...commands: readonly string[]): Scenario {
  const calls = commands.map(
    (command): Call => ({ tools: [{ name: 'Bash', input: { command, description: 'Tell' } }], context: 30_000 }),
  );
  return {
    calls: [...calls, { text: 'first done', context: 158_000 }, { text: 'second done', context: 31_000 }],
    summary: { text: '<summary>Nothing.</summary>' },
  };
}

function tell(command: 'state' | 'dead-end', text: string): string {
  return `node '${CTXB}' note ${command} '${text}'`;
}

/** node must be found by what claude runs. */
function run(world: World, claude: readonly string[] = []) {
  const env = { PATH: process.env.PATH ?? '' };
  return runCtxb(world, { flags: prompts('Begin.', 'Go on.'), claude: [...SMALL_WINDOW, ...claude], env });
}

function scratch(world: World): string {
  return readFileSync(join(world.scratch.cwd, '.context', 'scratch.md'), 'utf8');
}

it('a ctxb note from the agent reaches the notes, and a reported state also reaches the focus', async () => {
  await using world = await startWorld(job(tell('state', 'half way'), tell('dead-end', 'no paging there')));
  const finished = await run(world);
  expect(finished.code).toBe(0);
  expect(scratch(world)).toContain('\nState: half way\n');
  expect(scratch(world)).toContain('## Dead Ends\n- #1: no paging there [L');
  expect(instructionsOf(summaryRequests(world.standin)[0])).toContain('current state is half way');
});

inSoak('ctxb note from a hook at the end of a turn does too', async () => {
  const hook = { type: 'command', command: tell('state', 'said by a hook') };
  const settings = JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }] } });
  await using world = await startWorld(job('echo one', 'echo two'));
  const finished = await run(world, ['--settings', settings]);
  expect(finished.code).toBe(0);
  expect(scratch(world)).toContain('\nState: said by a hook\n');
  expect(instructionsOf(summaryRequests(world.standin)[0])).toContain('current state is said by a hook');
});

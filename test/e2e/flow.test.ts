import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Scenario } from '../../src/standin/scenario.ts';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { mainRequests, userTexts } from '../support/conversation.ts';
import { CTXB, SMALL_WINDOW } from '../support/ctxb.ts';

it('each step begins afresh, with its own teaching notes whole and what the steps before it have said', async () => {
  await using world = await startWorld(answers());
  cpSync('fixtures/flows/small.yaml', join(world.scratch.cwd, 'flow.yaml'));
  const run = await flow(world, 'run', 'flow.yaml', '--', world.claude, ...SMALL_WINDOW);
  console.log(run.stderr, run.stdout.toString());
  expect(run.code).toBe(0);
  for (const request of mainRequests(world.standin)) console.log(userTexts(request).at(-1));
});

function answers(): Scenario {
  return { calls: (_, index) => ({ text: `answer ${index + 1}`, context: 21_000 + index * 100 }) };
}

function flow(world: World, ...args: readonly string[]) {
  return runProgram(process.execPath, [CTXB, 'flow', ...args], { env: world.scratch.env, cwd: world.scratch.cwd });
}

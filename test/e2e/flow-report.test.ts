import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { CTXB, SMALL_WINDOW } from '../support/ctxb.ts';
import { makeOutputs, stepText } from '../support/flow-plays.ts';
import { fixtureFlow } from '../support/flow-run.ts';

it('reports the outputs of a run, which it has put into its briefings', async () => {
  await using world = await startWorld({
    calls: (_, index) => ({ text: `answer ${index + 1}`, context: 21_000 + index }),
  });
  cpSync('fixtures/flows/small.yaml', join(world.scratch.cwd, 'flow.yaml'));
  makeOutputs(world, fixtureFlow('small.yaml').flow);
  const run = await ctxb(world, 'flow', 'run', 'flow.yaml', '--', world.claude, ...SMALL_WINDOW);
  expect(run.code).toBe(0);

  const report = JSON.parse(await said(world, 'flow', 'report', '--json'));
  expect(report).toMatchObject({ version: 1, flow: 'add-search', total: { steps: 3, calls: 3 } });
  expect(report.steps.map(({ measured }: { measured: object }) => measured)).toMatchObject([
    { exit_code: 0, first_tokens: 21_000, calls: 1 },
    { exit_code: 0, first_tokens: 21_001, calls: 1 },
    { exit_code: 0, first_tokens: 21_002, calls: 1 },
  ]);

  expect(stepText(world, 'test', 'pack.md')).toContain('answer 2');
});

function ctxb({ scratch: { env, cwd } }: World, ...args: readonly string[]) {
  return runProgram(process.execPath, [CTXB, ...args], { env, cwd });
}

async function said(world: World, ...args: readonly string[]): Promise<string> {
  const run = await ctxb(world, ...args);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return run.stdout.toString();
}

import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startWorld } from '../support/claude.ts';
import { mainRequests, REFUSED } from '../support/conversation.ts';
import { journalLines } from '../support/ctxb.ts';
import {
  briefingIn,
  flowRuns,
  makeOutputs,
  runFlowFile,
  stepStatus,
  stepsAsked,
  stepText,
  writeFlow,
} from '../support/flow-plays.ts';
import { fixtureFlow } from '../support/flow-run.ts';
import { contextOf } from '../support/results.ts';
import { inSoak } from '../support/size.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';

/** Every step answers with its own name. */
function named(request: RecordedRequest): Call {
  return { text: `answer of ${briefingIn(request)?.step}`, context: contextOf(request) };
}

it('each step has a fresh context with its whole teaching notes and the outputs of earlier steps', async () => {
  await using world = await startWorld({ calls: named });
  cpSync('fixtures/flows/small.yaml', join(world.scratch.cwd, 'flow.yaml'));
  makeOutputs(world, fixtureFlow('small.yaml').flow);
  const run = await runFlowFile(world, 'flow.yaml');

  expect(run.code).toBe(0);
  expect(run.stdout.toString()).toBe('');
  expect(stepsAsked(world)).toEqual(['design', 'implement', 'test']);
  const [, implement, test] = mainRequests(world.standin);
  expect(implement?.body.messages?.length).toBe(1);
  expect(briefingIn(implement)?.text).toContain('- Empty queries and notes without words are cases too.');
  expect(briefingIn(implement)?.text).not.toContain('No new dependency.');
  expect(briefingIn(test)?.text).toMatch(/answer of design\n[\s\S]*answer of implement\n/);
  expect(run.stderr).toMatch(/\[implement\] done: .* s, 1 call, at most [\d,]+ tokens/);
  expect(run.stderr).toMatch(
    /^ctxb: 3 of 3 steps done: .* s, 3 calls, at most [\d,]+ tokens, \$[\d.]+; each step: ctxb flow report$/m,
  );
});

it('stores the briefing, the output and the receipt of each step', async () => {
  await using world = await startWorld({ calls: named });
  await runFlowFile(world, writeFlow(world, { steps: [{ id: 'one' }, { id: 'two' }] }));

  const [, second] = mainRequests(world.standin);
  expect(briefingIn(second)?.text.trim()).toBe(stepText(world, 'two', 'pack.md').trim());
  expect(stepText(world, 'two', 'output.md')).toBe('answer of two');
  expect(stepText(world, 'two', 'stream.ndjson')).toContain('"result":"answer of two"');
  expect(stepStatus(world, 'two')).toEqual({ version: 1, status: 'done' });
  const receipt = JSON.parse(stepText(world, 'two', 'receipt.json'));
  expect(receipt).toMatchObject({ flow: 'job', step: 'two', run: flowRuns(world)[0] });
  expect(receipt.measured).toMatchObject({ exit_code: 0, first_tokens: second && contextOf(second), calls: 1 });
  const sessions = journalLines(world).filter(({ kind }) => kind === 'session');
  expect(receipt.measured.session_id).toBe(sessions.at(-1)?.id);
});

inSoak('a step runs with its own model, the others with the one on the command line', async () => {
  await using world = await startWorld({ calls: named });
  const steps = [{ id: 'one' }, { id: 'two', model: 'claude-haiku-4-5' }, { id: 'three' }];
  const run = await runFlowFile(world, writeFlow(world, { steps }));
  expect(run.code).toBe(0);
  const models = mainRequests(world.standin).map(({ body }) => body.model);
  expect(models).toEqual([
    expect.stringContaining('sonnet-4-6'),
    expect.stringContaining('haiku-4-5'),
    expect.stringContaining('sonnet-4-6'),
  ]);
});

inSoak('the whole configuration applies to each step, and the flow ends with the worst exit code', async () => {
  const look: Call = { tools: [{ name: 'Bash', input: { command: 'true', description: 'Look' } }] };
  await using world = await startWorld({
    calls: (request) => {
      const step = briefingIn(request)?.step;
      if (step === 'refused') return REFUSED;
      return step === 'dear' ? { ...look, usage: { cacheCreation: 60_000 } } : named(request);
    },
  });
  const config = {
    cost: { limitUsd: 0.5, onLimit: 'stop' },
    flow: { preset: 'lean' },
  };
  writeFileSync(join(world.scratch.cwd, '.contextbudgetrc.json'), JSON.stringify(config));
  const steps = [
    { id: 'refused', onFail: 'continue' },
    { id: 'dear', onFail: 'continue', priority: 'critical' },
    { id: 'last' },
  ];
  const run = await runFlowFile(world, writeFlow(world, { steps }));
  expect(run.code).toBe(3);
  const exitCodes = steps.map(({ id }) => JSON.parse(stepText(world, id, 'receipt.json')).measured.exit_code);
  expect(exitCodes).toEqual([1, 3, 0]);
  expect(
    journalLines(world).filter(({ kind, of, level }) => kind === 'limit' && of === 'cost' && level === 'limit'),
  ).toHaveLength(1);
  expect(JSON.parse(stepText(world, 'last', 'receipt.json'))).toMatchObject({
    budgets: { contextBudgetChars: { value: 100_000, source: 'preset lean (global)' } },
    items: [{ step: 'refused' }, { step: 'dear', tier: 'CRITICAL', classified_by: 'step' }],
  });
});

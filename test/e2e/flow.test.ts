import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
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

it('each step begins afresh, with its own teaching notes whole and what the steps before it have said', async () => {
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
    /^ctxb: 3 of 3 steps done: .* s, 3 calls, at most [\d,]+ tokens, \$[\d.]+; of each step: ctxb flow report$/m,
  );
});

it('keeps what every step was given, what it said, and its receipt with what claude measured', async () => {
  await using world = await startWorld({ calls: named });
  await runFlowFile(world, writeFlow(world, { steps: [{ id: 'one' }, { id: 'two' }] }));

  const [, second] = mainRequests(world.standin);
  expect(briefingIn(second)?.text.trim()).toBe(stepText(world, 'two', 'pack.md').trim());
  expect(stepText(world, 'two', 'output.md')).toBe('answer of two');
  expect(stepText(world, 'two', 'stream.ndjson')).toContain('"result":"answer of two"');
  expect(stepStatus(world, 'two')).toMatchObject({ version: 1, status: 'done', exitCode: 0, calls: 1 });
  const receipt = JSON.parse(stepText(world, 'two', 'receipt.json'));
  expect(receipt).toMatchObject({ flow: 'job', step: 'two', run: flowRuns(world)[0], attempt: 1 });
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

const DIAMOND = [
  { id: 'begin' },
  { id: 'left', needs: ['begin'] },
  { id: 'right', needs: ['begin'] },
  { id: 'end', needs: ['left', 'right'] },
];

it('--parallel 2 runs steps at once that do not need each other, and the step after them sees them in order', async () => {
  const isDone = () => expect(stepStatus(world, 'right').status).toBe('done');
  const rightIsDone = () => vi.waitFor(isDone, { timeout: 120_000 });
  await using world = await startWorld({
    calls: (request) => ({
      ...named(request),
      ...(briefingIn(request)?.step === 'left' ? { until: rightIsDone() } : {}),
    }),
  });
  const run = await runFlowFile(world, writeFlow(world, { steps: DIAMOND }), { flags: ['--parallel', '2'] });
  expect(run.code).toBe(0);
  const [, , , last] = mainRequests(world.standin);
  expect(stepsAsked(world).at(0)).toBe('begin');
  expect(stepsAsked(world).slice(1, 3).sort()).toEqual(['left', 'right']);
  // Right was over first; in the briefing the order is the flow's.
  expect(run.stderr.indexOf('[right] done')).toBeLessThan(run.stderr.indexOf('[left] done'));
  expect(briefingIn(last)?.text).toMatch(/### Step: begin[\s\S]*### Step: left[\s\S]*### Step: right/);
  expect(overlap(journalLines(world))).toBe(2);
});

/** Most sessions that were under way at once. */
function overlap(lines: readonly Record<string, unknown>[]): number {
  let open = 0;
  return Math.max(
    ...lines.map(({ kind }) => {
      if (kind === 'start') open++;
      if (kind === 'end') open--;
      return open;
    }),
  );
}

inSoak(
  'each step is under all that the configuration says, and the worst of their exit codes is that of the flow',
  async () => {
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
      flow: { preset: 'lean', priorities: { teller: 'critical' } },
    };
    writeFileSync(join(world.scratch.cwd, '.contextbudgetrc.json'), JSON.stringify(config));
    const steps = [
      { id: 'refused', onFail: 'continue' },
      { id: 'dear', onFail: 'continue', agent: 'teller' },
      { id: 'last' },
    ];
    const run = await runFlowFile(world, writeFlow(world, { steps }));
    expect(run.code).toBe(3);
    expect(['refused', 'dear', 'last'].map((id) => stepStatus(world, id).exitCode)).toEqual([1, 3, 0]);
    expect(journalLines(world).filter(({ kind, level }) => kind === 'cost' && level === 'limit')).toHaveLength(1);
    expect(JSON.parse(stepText(world, 'last', 'receipt.json'))).toMatchObject({
      budgets: { contextBudgetChars: { value: 100_000, source: 'preset lean (global)' } },
      items: [{ step: 'refused' }, { step: 'dear', tier: 'CRITICAL', classified_by: 'configured agent (global)' }],
    });
  },
);

inSoak('--from and --only run a part again, with what the newest run has left of the steps before', async () => {
  await using world = await startWorld({ calls: named });
  const file = writeFlow(world, { steps: [{ id: 'one' }, { id: 'two' }, { id: 'three' }] });
  await runFlowFile(world, file);
  const from = await runFlowFile(world, file, { flags: ['--from', 'two'] });
  const only = await runFlowFile(world, file, { flags: ['--only', 'two'] });

  expect([from.code, only.code]).toEqual([0, 0]);
  expect(stepsAsked(world)).toEqual(['one', 'two', 'three', 'two', 'three', 'two']);
  const requests = mainRequests(world.standin);
  for (const request of [requests[3], requests[5]]) expect(briefingIn(request)?.text).toContain('answer of one');
  expect(briefingIn(requests[5])?.text).not.toContain('answer of three');
  expect(flowRuns(world)).toHaveLength(1);
  expect(from.stderr).toContain('3 of 3 steps done: ');
});

inSoak('--only without an earlier run leaves the steps before out, and says so', async () => {
  await using world = await startWorld({ calls: named });
  const file = writeFlow(world, { steps: [{ id: 'one' }, { id: 'two' }] });
  const run = await runFlowFile(world, file, { flags: ['--only', 'two'] });
  expect(run.code).toBe(0);
  expect(stepsAsked(world)).toEqual(['two']);
  expect(run.stderr).toContain('1 of 1 step done: ');
});

inSoak('a part that fails is gone on with without the steps that were left out', async () => {
  await using world = await startWorld({
    calls: (request) => (briefingIn(request)?.step === 'two' ? REFUSED : named(request)),
  });
  const file = writeFlow(world, { steps: [{ id: 'one' }, { id: 'two' }, { id: 'three' }] });
  const only = await runFlowFile(world, file, { flags: ['--only', 'two', '--parallel', '2'] });
  expect(only.stderr).toMatch(/to go on: ctxb flow run flow.json --resume \S+ --only two --parallel 2 -- /);
  const from = await runFlowFile(world, file, { flags: ['--from', 'two'] });
  expect(from.stderr).toMatch(/to go on: ctxb flow run flow.json --resume \S+ --only two,three -- /);
  const all = await runFlowFile(world, file);
  expect(all.stderr).toMatch(/to go on: ctxb flow run flow.json --resume \S+ -- /);
});

inSoak('a part of which a later step is done is gone on with without it', async () => {
  let refusals = 1;
  await using world = await startWorld({
    calls: (request) => (briefingIn(request)?.step === 'left' && refusals-- > 0 ? REFUSED : named(request)),
  });
  const file = writeFlow(world, {
    steps: [{ id: 'begin' }, { id: 'left', needs: [], onFail: 'continue' }, { id: 'right', needs: [] }],
  });
  const part = await runFlowFile(world, file, { flags: ['--from', 'left', '--parallel', '2'] });
  expect(part.code).toBe(1);
  const [, words = ''] = /to go on: ctxb flow run flow.json (.*) -- /.exec(part.stderr) ?? [];
  const rest = await runFlowFile(world, file, { flags: words.split(' ') });
  expect(rest.code).toBe(0);
  expect(stepsAsked(world).sort()).toEqual(['left', 'left', 'right']);
});

it('--dry-run prints the briefing and the receipt of every step, asks nothing of anyone and writes nothing', async () => {
  await using world = await startWorld({ calls: named });
  const file = writeFlow(world, { steps: [{ id: 'one' }, { id: 'two', teaching: { notes: 'Mind the gap.' } }] });
  const run = await runFlowFile(world, file, { flags: ['--dry-run'] });
  expect(run.code).toBe(0);
  const [, one, first, two, second] = run.stdout.toString().split(/^===== \w+: (?:briefing|receipt) =====\n/m);
  expect(one).toMatch(/^# Briefing for step one\n/);
  expect(two).toContain('Mind the gap.');
  expect([first, second].map((text) => JSON.parse(text ?? '').step)).toEqual(['one', 'two']);
  expect(world.standin.requests).toEqual([]);
  expect(() => flowRuns(world)).toThrow('ENOENT');
});

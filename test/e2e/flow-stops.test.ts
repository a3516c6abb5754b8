import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { isAlive, readProcessMark } from '../../src/store/files/process-mark.ts';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { mainRequests, REFUSED } from '../support/conversation.ts';
import { CTXB, journalLines } from '../support/ctxb.ts';
import {
  briefingIn,
  flowRuns,
  runFlowFile,
  startFlowFile,
  stepStatus,
  stepsAsked,
  stepText,
  writeFlow,
} from '../support/flow-plays.ts';
import { contextOf } from '../support/results.ts';
import { inSoak, sampled } from '../support/size.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';
import { limited, SUBSCRIPTION } from '../support/usage-limits.ts';

const THREE = [{ id: 'one' }, { id: 'two' }, { id: 'three' }];

/** Longer than any test: the answer never comes. */
const NEVER_MS = 600_000;

function stepIn(request: RecordedRequest): string {
  return briefingIn(request)?.step ?? '';
}

function named(request: RecordedRequest): Call {
  return { text: `answer of ${stepIn(request)}`, context: contextOf(request) };
}

/** Everything is answered, but the first so many requests of a step never are. */
function hangs(step: string, times = 1) {
  let left = times;
  return {
    calls: (request: RecordedRequest): Call => {
      const isHung = stepIn(request) === step && left-- > 0;
      return { ...named(request), delayMs: isHung ? NEVER_MS : 0 };
    },
  };
}

/** Resolves when a step has asked. */
function untilAsked({ standin }: World, step: string): Promise<RecordedRequest> {
  return standin.waitFor((request) => request.kind === 'main' && stepIn(request) === step);
}

/** Resolves when the stream of a step has a line with these words: claude asks before ctxb has read what it said. */
function untilStreamed(world: World, step: string, words: string): Promise<void> {
  return vi.waitFor(() => expect(stepText(world, step, 'stream.ndjson')).toContain(words), { timeout: 30_000 });
}

function claudeOfLastStart(world: World) {
  const mark = readProcessMark(journalLines(world).findLast(({ kind }) => kind === 'start')?.claude);
  if (mark === undefined) throw new Error('no claude in the journal');
  return mark;
}

it('a flow that was killed in a step continues after the last finished step, and ends the orphaned claude', async () => {
  await using world = await startWorld(hangs('two'));
  const file = writeFlow(world, { steps: THREE });
  const flow = startFlowFile(world, file);
  await untilAsked(world, 'two');
  await untilStreamed(world, 'two', '"subtype":"init"');
  flow.kill('SIGKILL');
  expect((await flow.finished).signal).toBe('SIGKILL');
  const left = claudeOfLastStart(world);
  expect(isAlive(left)).toBe(true);
  const [id = ''] = flowRuns(world);

  const again = await runFlowFile(world, file, { flags: ['--resume', id] });
  expect(again.code).toBe(0);
  expect(isAlive(left)).toBe(false);
  expect(again.stderr).toMatch(
    new RegExp(`ended the claude of run \\S+ \\(process ${left.pid}\\), which had continued alone`),
  );
  expect(stepsAsked(world)).toEqual(['one', 'two', 'two', 'three']);
  const [, , second, third] = mainRequests(world.standin);
  expect(briefingIn(second)?.text).toContain('answer of one');
  expect(briefingIn(third)?.text).toMatch(/answer of one\n[\s\S]*answer of two\n/);
  expect(again.stderr).toContain('3 of 3 steps done: ');
  expect(again.stderr).not.toContain('[one]');
  expect(flowRuns(world)).toEqual([id]);
  // What was under way is in a file of its own, whole lines or not.
  expect(stepText(world, 'two', 'stream-2.ndjson')).toContain('"result":"answer of two"');

  const nothing = await runFlowFile(world, file, { flags: ['--resume', id] });
  expect(nothing.code).toBe(0);
  expect(stepsAsked(world)).toHaveLength(4);
  expect(nothing.stderr).toContain('3 of 3 steps done: ');
});

inSoak.each([
  { name: 'a usage limit has ended', calls: () => limited(3_600_000), isKilled: false },
  { name: 'was under way when its flow was killed', calls: () => ({ delayMs: NEVER_MS }), isKilled: true },
])('a step that $name belongs to its flow: --resume-run ignores it', async ({ calls, isKilled }) => {
  await using world = await startWorld({ calls });
  Object.assign(world.scratch.env, SUBSCRIPTION);
  const flow = startFlowFile(world, writeFlow(world, { steps: [{ id: 'one' }] }));
  await untilAsked(world, 'one');
  if (isKilled) flow.kill('SIGKILL');
  expect(await flow.finished).toMatchObject(isKilled ? { signal: 'SIGKILL' } : { code: 5 });
  const resumed = await runProgram(process.execPath, [CTXB, 'run', '--resume-run', '--at-reset'], world.scratch);
  expect(resumed).toMatchObject({ code: 2, stderr: expect.stringContaining('no unfinished run in ') });
  expect(stepsAsked(world)).toEqual(['one']);
});

inSoak('the file of a step has its output while it still runs', async () => {
  const look = [{ name: 'Bash', input: { command: 'echo first look', description: 'Look' } }];
  await using world = await startWorld({ calls: [{ text: 'I look.', tools: look }, { delayMs: NEVER_MS }] });
  const flow = startFlowFile(world, writeFlow(world, { steps: [{ id: 'one' }] }));
  await world.standin.waitFor(({ kind, body }) => kind === 'main' && (body.messages ?? []).length > 1);
  await untilStreamed(world, 'one', '"text":"I look."');
  expect(stepText(world, 'one', 'stream.ndjson')).toMatch(/\n$/);
  flow.kill('SIGTERM');
  await flow.finished;
});

inSoak('refuses to resume a flow that still runs', async () => {
  await using world = await startWorld(hangs('two'));
  const file = writeFlow(world, { steps: THREE });
  const flow = startFlowFile(world, file);
  await untilAsked(world, 'two');
  const other = await runFlowFile(world, file, { flags: ['--resume', flowRuns(world)[0] ?? ''] });
  expect(other.code).toBe(2);
  expect(other.stderr).toMatch(/run \S+ is still active \(process \d+\): end it first/);
  flow.kill('SIGTERM');
  await flow.finished;
  expect(stepsAsked(world)).toEqual(['one', 'two']);
});

it('refuses one of two simultaneous resumes while the claude of the run is still being ended', async () => {
  await using world = await startWorld(hangs('two', 9));
  const file = writeFlow(world, { steps: THREE });
  const flow = startFlowFile(world, file);
  await untilAsked(world, 'two');
  flow.kill('SIGKILL');
  await flow.finished;
  const [id = ''] = flowRuns(world);
  const both = ['left', 'right'].map((name) => ({ name, ...startFlowFile(world, file, { flags: ['--resume', id] }) }));
  const first = await Promise.race(both.map(async ({ name, finished }) => ({ name, ...(await finished) })));
  expect(first.code).toBe(2);
  expect(first.stderr).toMatch(/run \S+ (?:is still active \(process \d+\)|is being resumed by process \d+): end/);
  await vi.waitFor(() => expect(stepsAsked(world)).toEqual(['one', 'two', 'two']), { timeout: 30_000 });
  const other = both.find(({ name }) => name !== first.name);
  other?.kill('SIGTERM');
  expect((await other?.finished)?.code).toBe(143);
  expect(stepsAsked(world)).toEqual(['one', 'two', 'two']);
});

inSoak('a step that exceeds its time fails with 124; its claude ends, and the flow stops', async () => {
  await using world = await startWorld(hangs('two'));
  const file = writeFlow(world, { steps: [{ id: 'one' }, { id: 'two', timeoutSeconds: 5 }, { id: 'three' }] });
  const run = await runFlowFile(world, file);
  expect(run.code).toBe(124);
  expect(isAlive(claudeOfLastStart(world))).toBe(false);
  expect(stepsAsked(world)).toEqual(['one', 'two']);
  expect(stepStatus(world, 'two')).toMatchObject({ status: 'failed', error: 'not done after 5 s' });
  expect(run.stderr).toContain('[two] failed: not done after 5 s');
  expect(run.stderr).not.toContain('Ctrl-C');
  expect(run.stderr).toContain('not run: three');
  expect(run.stderr).toMatch(new RegExp(`to continue: ctxb flow run ${file} --resume ${flowRuns(world)[0]} -- `));
});

inSoak('processes that a step has started do not outlive its time', async () => {
  await using world = await startWorld({
    calls: (request) => ({
      tools: [{ name: 'Bash', input: { command: 'echo $$ > pid; sleep 300', description: 'Wait' } }],
      context: contextOf(request),
    }),
  });
  const run = await runFlowFile(world, writeFlow(world, { steps: [{ id: 'one', timeoutSeconds: 10 }] }));
  expect(run.code).toBe(124);
  const pid = Number(readFileSync(join(world.scratch.cwd, 'pid'), 'utf8'));
  expect(isAlive({ pid })).toBe(false);
  expect(isAlive(claudeOfLastStart(world))).toBe(false);
  // A step is gone on with by its flow, not by itself.
  expect(existsSync(join(world.scratch.cwd, '.context', 'runs'))).toBe(false);
});

/** Answers, but what a step asks the first so many times is refused. */
function refuses(step: string, times: number) {
  let left = times;
  return {
    calls: (request: RecordedRequest): Call => (stepIn(request) === step && left-- > 0 ? REFUSED : named(request)),
  };
}

inSoak.each(
  sampled([
    { onFail: 'stop', asked: ['one', 'two'], three: 'not run: three' },
    { onFail: 'continue', asked: ['one', 'two', 'three'], three: '[three] done: ' },
  ]),
)('onFail $onFail: after a failed step the flow goes to $asked', async ({ onFail, asked, three }) => {
  await using world = await startWorld(refuses('two', 1));
  const steps = [{ id: 'one' }, { id: 'two', onFail }, { id: 'three' }];
  const run = await runFlowFile(world, writeFlow(world, { steps }));
  expect(run.code).toBe(1);
  expect(stepsAsked(world)).toEqual(asked);
  expect(run.stderr).toContain('[two] failed: ');
  expect(run.stderr).toContain(three);
  const last = briefingIn(mainRequests(world.standin).at(-1));
  if (onFail === 'continue') expect(last?.text).toMatch(/### Step: two \[FAIL\]\nError: `.*no such thing/);
});

it('Ctrl-C interrupts the step, starts no other, names the remaining ones, keeps the outputs, and ends by SIGINT', async () => {
  await using world = await startWorld(hangs('two'));
  const file = writeFlow(world, { steps: [...THREE, { id: 'four' }] });
  const flow = startFlowFile(world, file);
  await untilAsked(world, 'two');
  await untilStreamed(world, 'two', '"subtype":"init"');
  flow.kill('SIGINT');
  const run = await flow.finished;
  expect(run.signal).toBe('SIGINT');
  expect(stepsAsked(world)).toEqual(['one', 'two']);
  expect(run.stderr).toContain('not run: three, four');
  expect(run.stderr).toContain('[two] stopped (');
  expect(stepText(world, 'one', 'output.md')).toBe('answer of one');
  // The turn was interrupted, as its result says: claude was not simply killed.
  expect(stepText(world, 'two', 'stream.ndjson')).toContain('error_during_execution');
  expect(isAlive(claudeOfLastStart(world))).toBe(false);

  const again = await runFlowFile(world, file, { flags: ['--resume', flowRuns(world)[0] ?? ''] });
  expect(again.code).toBe(0);
  expect(stepsAsked(world)).toEqual(['one', 'two', 'two', 'three', 'four']);
});

inSoak('Ctrl-C while the curator chooses starts no step', async () => {
  await using world = await startWorld({
    calls: (request) => (stepIn(request) === 'one' ? named(request) : { text: '{}', delayMs: NEVER_MS }),
  });
  const file = writeFlow(world, { curator: { enabled: true }, steps: [{ id: 'one' }, { id: 'two' }] });
  const flow = startFlowFile(world, file);
  await world.standin.waitFor((request) => request.kind === 'main' && stepIn(request) !== 'one');
  flow.kill('SIGINT');
  const run = await flow.finished;
  expect(run.signal).toBe('SIGINT');
  expect(stepsAsked(world)).not.toContain('two');
  expect(run.stderr).toContain('[two] stopped (');
});

inSoak('the report has the cost of the curators of all attempts', async () => {
  let isHung = true;
  await using world = await startWorld({
    calls: (request) => {
      const step = stepIn(request);
      if (step === '') return { text: '{}', context: 30_000 };
      const delayMs = step === 'two' && isHung ? NEVER_MS : 0;
      if (delayMs > 0) isHung = false;
      return { ...named(request), delayMs };
    },
  });
  const file = writeFlow(world, { curator: { enabled: true }, steps: [{ id: 'one' }, { id: 'two' }] });
  const flow = startFlowFile(world, file);
  await untilAsked(world, 'two');
  flow.kill('SIGKILL');
  await flow.finished;
  const curatorUsd = () => JSON.parse(stepText(world, 'two', 'receipt.json')).curation.cost_usd;
  const first = curatorUsd();
  expect(first).toBeGreaterThan(0);
  const again = await runFlowFile(world, file, { flags: ['--resume', flowRuns(world)[0] ?? ''] });
  expect(again.code).toBe(0);
  const report = await runProgram(process.execPath, [CTXB, 'flow', 'report', '--json'], world.scratch);
  const { total } = JSON.parse(report.stdout.toString());
  expect(total.curator_cost_usd).toBeCloseTo(curatorUsd(), 6);
  expect(total.other_attempts_usd).toBeGreaterThanOrEqual(first);
});

inSoak.each(
  sampled([
    { signal: 'SIGTERM', code: 143 },
    { signal: 'SIGHUP', code: 129 },
  ] as const),
)('$signal ends the step under way at once and exits $code', async ({ signal, code }) => {
  await using world = await startWorld(hangs('one', 1));
  const flow = startFlowFile(world, writeFlow(world, { steps: [{ id: 'one' }, { id: 'end' }] }));
  await untilAsked(world, 'one');
  flow.kill(signal);
  const run = await flow.finished;
  expect(run.code).toBe(code);
  const starts = journalLines(world).filter(({ kind }) => kind === 'start');
  for (const { claude } of starts) expect(isAlive(readProcessMark(claude) ?? { pid: 0 })).toBe(false);
  expect(stepsAsked(world)).not.toContain('end');
  expect(journalLines(world).filter(({ kind }) => kind === 'end')).toHaveLength(starts.length);
});

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Finished, type RunningProgram, runProgram, startWorld, type World } from '../support/claude.ts';
import { userTexts } from '../support/conversation.ts';
import { CTXB, journalLines, PROTOCOL, prompts, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { contextOf, expectExact } from '../support/exact-job.ts';
import { expectEachPromptOnce } from '../support/proof.ts';
import { firstOf, sampled } from '../support/size.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';

const SIGNALS = ['SIGKILL', 'SIGQUIT', 'SIGINT', 'SIGTERM'] as const;
const MOMENTS = ['a tool runs', 'the model thinks'] as const;
const FORMATS = ['text', 'json', 'stream-json'] as const;
/** One prompt; of three the second, and the last. */
const PLACES = [
  { count: 1, held: 1 },
  { count: 3, held: 2 },
  { count: 3, held: 3 },
] as const;

const CASES = SIGNALS.flatMap((signal) =>
  MOMENTS.flatMap((moment) =>
    PLACES.flatMap((place) => FORMATS.map((format) => ({ signal, moment, format, ...place }))),
  ),
);

const SLEEP: Call = { tools: [{ name: 'Bash', input: { command: 'touch begun; sleep 300', description: 'Wait' } }] };

interface Scene {
  readonly calls: (request: RecordedRequest) => Call;
  /** claude is at the prompt that is held. */
  readonly isHeld: () => boolean;
  readonly release: () => void;
}

/** Answers each prompt with its number; the first call about one of them takes until it is released. */
function sceneOf(held: number, moment: (typeof MOMENTS)[number]): Scene {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  return {
    calls(request) {
      const number = /PROMPT-(\d)/.exec(userTexts(request).findLast((text) => text.includes('PROMPT-')) ?? '')?.[1];
      const answer = { text: `ANSWER-${number}` };
      if (Number(number) !== held || isHeld) return answer;
      isHeld = true;
      return moment === 'a tool runs' ? SLEEP : { ...answer, until };
    },
    isHeld: () => isHeld,
    release: () => release(),
  };
}

function claudePid(world: World): number {
  return Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid);
}

/** What the caller has been answered, in order. */
function answersIn({ stdout }: Pick<Finished, 'stdout'>): number[] {
  const lines = stdout.toString().split('\n');
  const results = lines.filter((line) => !line.startsWith('{') || line.includes('"type":"result"'));
  return results.flatMap((line) => [...line.matchAll(/ANSWER-(\d)/g)].map(([, number]) => Number(number)));
}

/** Each prompt was answered, or it was named and --resume-run has answered it; each was asked once. */
async function expectAllAnswered(world: World, run: Finished, count: number): Promise<void> {
  const all = Array.from({ length: count }, (_, at) => at + 1);
  const answered = answersIn(run);
  const missing = all.filter((number) => !answered.includes(number));
  // claude that has answered before it heeds a signal still exits as the signal says.
  if (missing.length === 0) expect(run.stderr).not.toContain('not answered');
  else {
    expect(run.code).not.toBe(0);
    expect(run.stderr).toMatch(new RegExp(`\\b${missing.length} prompts? not answered`));
    const { env, cwd } = world.scratch;
    const resumed = await runProgram(process.execPath, [CTXB, 'run', '--resume-run'], { env, cwd });
    expect(resumed).toMatchObject({ code: 0 });
    answered.push(...answersIn(resumed));
  }
  expect(answered).toEqual(all);
  expectEachPromptOnce(
    world.standin,
    all.map((number) => `PROMPT-${number}`),
  );
}

async function killAt(world: World, { isHeld, release }: Scene, signal: NodeJS.Signals, moment: string): Promise<void> {
  await vi.waitFor(() => expect(isHeld()).toBe(true), { timeout: 60_000 });
  const begun = join(world.scratch.cwd, 'begun');
  if (moment === 'a tool runs') await vi.waitFor(() => expect(existsSync(begun)).toBe(true), { timeout: 60_000 });
  process.kill(claudePid(world), signal);
  release();
}

describe('after a signal to claude alone, each prompt is answered, or named and resumed', () => {
  // Daily ones with SIGINT are in `signals.test.ts`.
  it.each(firstOf(CASES))('$signal while $moment, prompt $held of $count, $format', async (one) => {
    const scene = sceneOf(one.held, one.moment);
    await using world = await startWorld({ calls: scene.calls });
    const texts = Array.from({ length: one.count }, (_, at) => `PROMPT-${at + 1}`);
    const verbose = one.format === 'stream-json' ? ['--verbose'] : [];
    const claude = [...SMALL_WINDOW, '--output-format', one.format, ...verbose];
    const program = startCtxb(world, { flags: prompts(...texts), claude });
    program.stdin.end();
    await killAt(world, scene, one.signal, one.moment);
    await expectAllAnswered(world, await program.finished, one.count);
  });

  it.each(sampled(SIGNALS, 4))('%s between two turns of a program that speaks the protocol', async (signal) => {
    await using world = await startWorld({ calls: sceneOf(0, 'a tool runs').calls });
    const program: RunningProgram = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL] });
    const say = (number: number) =>
      program.send({ type: 'user', message: { role: 'user', content: `PROMPT-${number}` } });
    say(1);
    await program.waitForLine(({ type }) => type === 'result');
    process.kill(claudePid(world), signal);
    say(2);
    program.stdin.end();
    await expectAllAnswered(world, await program.finished, 2);
  });
});

it('an exact compaction that a killed claude has not logged does not count as one that freed too little', async () => {
  const said = ['prompt one', 'prompt two', 'prompt three'];
  await using world = await startWorld({
    calls(request) {
      const text = JSON.stringify(request.body.messages);
      const turn = said.findLastIndex((prompt) => text.includes(prompt));
      const steps = turn === 0 ? [1, 2, 3, 4, 5, 6] : [1, 2, 3];
      const step = steps.find((number) => !text.includes(`did ${turn}.${number}`));
      const command = { command: `echo did ${turn}.${step}`, description: 'Step' };
      const tools = step === undefined ? undefined : [{ name: 'Bash', input: command }];
      return { ...(tools ? { tools } : { text: `answer ${turn + 1}` }), context: contextOf(request, 14_000) };
    },
  });
  const run = startCtxb(world, {
    claude: ['--dangerously-skip-permissions', ...PROTOCOL],
    env: { CTXB_COMPACTION_HOW: 'auto', CLAUDE_CODE_DISABLE_1M_CONTEXT: '1' },
  });
  const say = (content: string) => run.send({ type: 'user', message: { role: 'user', content } });
  say('prompt one');
  await run.waitForLine(({ type }) => type === 'result');
  say('prompt two');
  await run.waitForLine(({ subtype }) => subtype === 'compact_boundary');
  process.kill(claudePid(world), 'SIGKILL');
  await run.waitForLine(({ type }) => type === 'result');
  say('prompt three');
  run.stdin.end();
  expect((await run.finished).code).toBe(0);
  expectExact(world.standin, said);
});

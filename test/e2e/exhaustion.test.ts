import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { promptLine, runProgram, startWorld } from '../support/claude.ts';
import { mainRequests } from '../support/conversation.ts';
import { journal, outputLines, PROTOCOL, prompts, runCtxb, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { expectEachPromptOnce, expectSameDecisions, kinds } from '../support/proof.ts';
import { inSoak, sampled } from '../support/size.ts';
import type { Call, Scenario } from '../support/standin/scenario.ts';

const TOO_LONG: Call = { error: { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' } };
const STEP: Call = { tools: [{ name: 'Bash', input: { command: 'touch step', description: 'A step' } }] };

/** The second call is refused for its length until the conversation was summarised, or is a new one. */
function full(summary: Call): Scenario {
  let isFull = false;
  let said = 0;
  return {
    calls: ({ body }) => {
      const messages = body.messages ?? [];
      const isFresh = !messages.some(({ role }) => role === 'assistant');
      if (isFull && !isFresh) return TOO_LONG;
      if (said++ === 0) {
        isFull = true;
        return { ...STEP, context: 60_000 };
      }
      isFull = false;
      return { text: `answer ${said - 1}`, context: 40_000 };
    },
    summary: () => {
      if (summary.error === undefined) isFull = false;
      return summary;
    },
  };
}

const CASES = [
  {
    name: 'a compaction',
    summary: { text: '<summary>One step was done.</summary>' },
    decided: ['exhausted', 'compact', 'compacted', 'resume', 'landed'],
  },
  {
    name: 'a handoff from the notes, where no summary can be made',
    summary: TOO_LONG,
    decided: ['exhausted', 'compact', 'compacted', 'give-up:compaction', 'handoff', 'handed-over', 'resume', 'landed'],
  },
];

it.each(sampled(CASES, 2))(
  'makes room for a prompt that is too long by $name; the caller sees one answer',
  async (one) => {
    await using world = await startWorld(full(one.summary));
    const record = join(world.scratch.cwd, 'run.ndjson');
    const summary = join(world.scratch.cwd, 'summary.json');
    const run = await runCtxb(world, {
      flags: [...prompts('prompt one', 'prompt two'), '--record', record, '--summary', summary],
      claude: [...SMALL_WINDOW, '--output-format', 'stream-json', '--verbose'],
      env: { DISABLE_AUTO_COMPACT: '1' },
    });
    expect(kinds(world)).toEqual(one.decided);
    expect(outputLines(run).flatMap(({ type, result }) => (type === 'result' ? [result] : []))).toEqual([
      'answer 1',
      'answer 2',
    ]);
    expect(run.stdout.toString()).not.toMatch(/prompt is too long/i);
    expect(run.code).toBe(0);
    // claude alone would not have answered the second prompt.
    expect(JSON.parse(readFileSync(summary, 'utf8'))).toMatchObject({ costUsd: expect.any(Number), aloneUsd: null });
    // What was to be answered is given back, since the context does not hold it any more.
    const resumed = mainRequests(world.standin).find(({ body }) => JSON.stringify(body).includes('Go on from where'));
    expect(JSON.stringify(resumed?.body)).toContain('prompt one');
    expectEachPromptOnce(world.standin, ['prompt one', 'prompt two']);
    await expectSameDecisions(world, record);
  },
);

inSoak('a turn without room resumes after the prompts that came into it', async () => {
  let hasAsked = () => {};
  let hasHeard = () => {};
  const asked = new Promise<void>((resolve) => {
    hasAsked = resolve;
  });
  const heard = new Promise<void>((resolve) => {
    hasHeard = resolve;
  });
  let calls = 0;
  await using world = await startWorld({
    calls: () => {
      calls++;
      if (calls === 1) return { ...STEP, context: 60_000 };
      if (calls > 2) return { text: `answer ${calls - 2}`, context: 40_000 };
      hasAsked();
      return { ...TOO_LONG, until: heard };
    },
  });
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL], env: { DISABLE_AUTO_COMPACT: '1' } });
  program.send(promptLine('prompt one'));
  await asked;
  program.send(promptLine('prompt two'));
  program.send({ type: 'control_request', request_id: 'c1', request: { subtype: 'mcp_status' } });
  await program.waitForLine(({ type }) => type === 'control_response');
  hasHeard();
  await program.waitForLine(({ result }) => result === 'answer 2');
  program.stdin.end();
  const run = await program.finished;
  expect(outputLines(run).flatMap(({ type, result }) => (type === 'result' ? [result] : []))).toEqual([
    'answer 1',
    'answer 2',
  ]);
  expect(run.code).toBe(0);
  expect(kinds(world)).toEqual(['exhausted', 'resume']);
});

it('refuses a prompt too long for an empty context as claude alone does, and names its size and the window', async () => {
  await using world = await startWorld({ calls: [{ text: 'never asked' }] });
  const { claude, scratch } = world;
  const stdin = 'The quick brown fox jumps over the lazy dog. '.repeat(16_000);
  const alone = await runProgram(claude, [...SMALL_WINDOW, '-p'], { env: scratch.env, cwd: scratch.cwd, stdin });
  const { code, stdout, stderr } = await runCtxb(world, { claude: [...SMALL_WINDOW, '-p'], stdin });
  expect({ code, stdout: stdout.toString() }).toEqual({ code: alone.code, stdout: alone.stdout.toString() });
  expect(stderr).toMatch(/^ctxb: .*about \d{3},\d{3} tokens \(estimated\), the window 200,000; .*\n$/);
  expect(world.standin.requests).toHaveLength(0);
});

it('ends with 4 and names the file with the work so far when nothing makes room', async () => {
  await using world = await startWorld({ calls: () => TOO_LONG, summary: TOO_LONG });
  const run = await runCtxb(world, {
    flags: prompts('prompt one', 'prompt two'),
    claude: SMALL_WINDOW,
    env: { DISABLE_AUTO_COMPACT: '1' },
  });
  expect(run.code).toBe(4);
  expect(run.stdout.toString()).toMatch(/^Prompt is too long/);
  expect(run.stderr).toMatch(
    /holds nothing else: .*the window 200,000; .*; the work so far: \.context\/handoffs\/handoff-\S+\.md/,
  );
  expect(journal(world).map(nameOf)).toContain('give-up:run');
});

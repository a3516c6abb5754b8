import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { expectWhole, resultsOf, SUMMARY } from '../support/bill.ts';
import { promptLine, startWorld } from '../support/claude.ts';
import { mainRequests, userTexts } from '../support/conversation.ts';
import { journal, outputLines, PROTOCOL, prompts, runCtxb, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { contextOf, expectExact, job } from '../support/exact-job.ts';
import { expectSameDecisions, kinds } from '../support/proof.ts';
import { inSoak, sampled } from '../support/size.ts';
import type { Call, RecordedRequest, Scenario } from '../support/standin/scenario.ts';

const STREAM = ['--output-format', 'stream-json', '--verbose'];
const EXACT = { CTXB_COMPACTION_HOW: 'auto' };
const FOUR = ['prompt one: α "quoted"', 'prompt two\nwith two lines', 'prompt three', 'prompt four'];

it('compacts between two turns without a call', async () => {
  await using world = await startWorld(job({ turns: [5, 3, 3, 2] }));
  const record = join(world.scratch.cwd, 'run.ndjson');
  const run = await runCtxb(world, {
    flags: [...prompts(...FOUR), '--record', record],
    claude: [...SMALL_WINDOW, ...STREAM],
    env: EXACT,
  });

  expect(run.code).toBe(0);
  expect(kinds(world)).toEqual(['compact', 'compacted', 'landed']);
  expect(journal(world).find(({ kind }) => kind === 'compacted')).toMatchObject({
    how: 'exact',
    verdict: 'success',
    costUsd: 0,
  });
  expect(run.stderr).toMatch(/^ctxb: compacted 140k → \d+k \(−\d\d%\), all prompts kept$/m);
  expectExact(world.standin, FOUR);
  // What was done before is still there, as a line.
  const after = mainRequests(world.standin)[8];
  expect(JSON.stringify(after?.body.messages)).toContain('did 1.1');
  expect(userTexts(after).filter((text) => text.includes('scratch.md')).length).toBe(1);
  // The caller sees nothing of it.
  expect(outputLines(run).map(({ type, subtype }) => subtype ?? type)).not.toContain('compact_boundary');
  expect(run.closing).toMatch(/^ctxb: \d turns, \d+ calls in .* than claude alone; 1 compaction; notes: /m);
  await expectSameDecisions(world, record);
});

it("compacts without a call also where claude has ctxb's plugin for the terminal", async () => {
  await using world = await startWorld(job({ turns: [5, 3, 3, 1] }));
  const plugin = fileURLToPath(new URL('../../plugin', import.meta.url));
  const claude = [...SMALL_WINDOW, ...STREAM, '--plugin-dir', plugin];
  const run = await runCtxb(world, { flags: prompts(...FOUR), claude, env: EXACT });

  expect([run.code, run.stderr]).toEqual([0, expect.stringMatching(/^ctxb: compacted .*, all prompts kept$/m)]);
  expectExact(world.standin, FOUR);
});

it('keeps the running prompt whole in mid-turn, shows the caller no line twice, and counts all round trips and costs', async () => {
  await using world = await startWorld(job({ turns: [2, 25], growBy: 20_000 }));
  const record = join(world.scratch.cwd, 'run.ndjson');
  const run = await runCtxb(world, {
    flags: [...prompts(...FOUR.slice(0, 2)), '--record', record, ...SUMMARY],
    claude: [...SMALL_WINDOW, ...STREAM],
    env: EXACT,
  });

  expect(run.code).toBe(0);
  // How many calls go by before claude knows its new level depends on the time that they take.
  const seen = kinds(world);
  expect(seen.length).toBeGreaterThanOrEqual(6);
  expect(seen).toEqual(seen.map((_, at) => (at % 2 === 0 ? 'native-compaction' : 'landed')));
  expect(seen.at(-1)).toBe('landed');
  expectExact(world.standin, FOUR.slice(0, 2));
  const lines = outputLines(run).map((line) => JSON.stringify(line));
  const ids = outputLines(run).flatMap(({ type, message }) =>
    type === 'assistant' ? [(message as { id: string }).id] : [],
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(lines.filter((line) => line.includes('"type":"user"') && line.includes('prompt one'))).toEqual([]);
  expect(resultsOf(run).map(({ num_turns }) => num_turns)).toEqual([2, 25]);
  expectWhole(world, resultsOf(run));
  await expectSameDecisions(world, record);
});

inSoak('three in a row cause no handoff, and nothing accumulates', async () => {
  const eight = [...FOUR, 'prompt five', 'prompt six', 'prompt seven', 'prompt eight'];
  await using world = await startWorld(job({ turns: [4, 4, 4, 4, 4, 4, 4, 1], growBy: 18_000 }));
  const run = await runCtxb(world, { flags: prompts(...eight), claude: SMALL_WINDOW, env: EXACT });

  expect(run.code).toBe(0);
  const compactions = kinds(world).filter((kind) => kind === 'compacted' || kind === 'native-compaction');
  expect(compactions.length).toBeGreaterThanOrEqual(3);
  expect(new Set(kinds(world))).toEqual(new Set(['compact', ...compactions, 'landed']));
  expectExact(world.standin, eight);
  // A step of the first turn is one line after the third compaction too.
  const last = JSON.stringify(mainRequests(world.standin).at(-1)?.body.messages);
  expect(last.split('echo did 1.1').length).toBe(2);
});

it('keeps the whole answer of an expensive subagent, and a line of a cheap one', async () => {
  const agentOf = (name: string) => ({
    name: 'Agent',
    input: { description: name, prompt: `Find ${name}`, subagent_type: 'general-purpose', run_in_background: false },
  });
  const endOf = (name: string) => `That is ${name}.`;
  const { calls } = job({ turns: [2, 12], growBy: 12_000 });
  await using world = await startWorld({
    calls: (request, index) => {
      const call = (calls as (request: RecordedRequest, index: number) => Call)(request, index);
      return index === 1 ? { ...call, tools: [agentOf('gold'), agentOf('tin')] } : call;
    },
    subagentCalls: (request) => {
      const name = JSON.stringify(request.body.messages).includes('Find gold') ? 'gold' : 'tin';
      const input = name === 'gold' ? 300_000 : 300;
      return { text: `${'word '.repeat(2_000)}${endOf(name)}`, usage: { input } };
    },
  });
  const run = await runCtxb(world, { flags: prompts(...FOUR.slice(0, 2)), claude: SMALL_WINDOW, env: EXACT });

  expect(run.code).toBe(0);
  expect(kinds(world)).toContain('landed');
  const last = JSON.stringify(mainRequests(world.standin).at(-1)?.body.messages);
  expect(last).toContain(endOf('gold'));
  expect(last).not.toContain(endOf('tin'));
});

it('leaves the reports of agents in the background in the context: only another agent could give them again', async () => {
  const input = { description: 'Look', prompt: 'Look.', subagent_type: 'general-purpose', run_in_background: true };
  const wait = {
    name: 'Bash',
    input: { command: 'until [ -e told ]; do sleep 0.1; done; rm told', description: 'Wait' },
  };
  await using world = await startWorld({
    calls: (request, index) => {
      const context = 20_000 + Math.ceil(JSON.stringify(request.body.messages).length / 4);
      return index < 12
        ? { tools: [index % 2 === 0 ? { name: 'Agent', input } : wait], context }
        : { text: 'done', context };
    },
    subagentCalls: (_, index) => ({ text: `REPORT ${index}. ${'word '.repeat(10_000)}` }),
  });
  const ctxb = startCtxb(world, { claude: [...PROTOCOL, ...SMALL_WINDOW], env: EXACT });
  ctxb.send(promptLine('Look about you'));
  for (let told = 0; told < 6; told++) {
    await ctxb.waitForLine(
      ({ subtype, summary_is_report }) => subtype === 'task_notification' && summary_is_report === true,
    );
    writeFileSync(join(world.scratch.cwd, 'told'), '');
  }
  await ctxb.waitForLine(({ type }) => type === 'result');
  ctxb.stdin.end();
  await ctxb.finished;

  const last = JSON.stringify(mainRequests(world.standin).at(-1)?.body.messages);
  expect(Array.from({ length: 6 }, (_, at) => last.includes(`REPORT ${at}.`))).toEqual(Array(6).fill(true));
  expect(kinds(world)).not.toContain('native-compaction');
});

/** Refused while the request holds more than this. */
const TOO_MUCH = 120_000;

inSoak('compacts exactly when a prompt is too long, and the work continues', async () => {
  const scenario = job({ turns: [8, 1] });
  const calls = scenario.calls as (request: RecordedRequest, index: number) => Call;
  let answered = 0;
  const refusing: Scenario = {
    calls: (request) =>
      contextOf(request) > TOO_MUCH
        ? { error: { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' } }
        : { ...calls(request, answered++), context: 30_000 },
  };
  await using world = await startWorld(refusing);
  const run = await runCtxb(world, {
    flags: prompts(...FOUR.slice(0, 2)),
    claude: SMALL_WINDOW,
    env: { ...EXACT, DISABLE_AUTO_COMPACT: '1' },
  });

  expect(run.stdout.toString()).toBe('answer 1\nanswer 2\n');
  expect(run.code).toBe(0);
  expect(kinds(world).slice(0, 5)).toEqual(['exhausted', 'compact', 'compacted', 'resume', 'landed']);
  expectExact(world.standin, FOUR.slice(0, 2));
});

inSoak.each(
  sampled([
    { name: 'overloaded', status: 529 },
    { name: 'at its limit', status: 429 },
  ]),
)('compacts while the API is $name', async ({ status }) => {
  const scenario = job({ turns: [5, 3, 3, 2] });
  const calls = scenario.calls as (request: RecordedRequest, index: number) => Call;
  let refused = 0;
  const refuse = (): Call => {
    refused++;
    return { error: { status } };
  };
  await using world = await startWorld({
    calls: (request, index) => (index >= 8 && refused < 2 ? refuse() : calls(request, index - refused)),
    summary: { error: { status } },
  });
  const run = await runCtxb(world, { flags: prompts(...FOUR), claude: SMALL_WINDOW, env: EXACT });

  expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\nanswer 4\n');
  expect(refused).toBe(2);
  expect(kinds(world).slice(0, 3)).toEqual(['compact', 'compacted', 'landed']);
  expectExact(world.standin, FOUR);
});

inSoak.each(
  sampled([
    { name: 'a window of 200,000', claude: SMALL_WINDOW },
    { name: 'the default model', claude: [] },
  ]),
)('compacts one long turn as soon as that pays, below every level: $name', async ({ claude }) => {
  await using world = await startWorld(job({ turns: [100], growBy: 1_500 }));
  const run = await runCtxb(world, { flags: prompts('the prompt'), claude, env: EXACT });

  expect(run.code).toBe(0);
  expect(kinds(world).slice(0, 2)).toEqual(['native-compaction', 'landed']);
  const reliefs = journal(world).filter(({ kind }) => kind === 'native-compaction');
  for (const { gauge } of reliefs) expect((gauge as { predicted: number }).predicted).toBeLessThan(150_000);
  const [placed] = journal(world).flatMap(({ kind, reason }) =>
    kind === 'mid-turn' && /pays/.test(String(reason)) ? [reason] : [],
  );
  expect(placed).toMatch(/^from \d+ tokens on compacting pays$/);
  expectExact(world.standin, ['the prompt']);
});

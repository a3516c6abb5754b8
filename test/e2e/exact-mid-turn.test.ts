import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { promptLine, startProgram, startWorld } from '../support/claude.ts';
import { mainRequests, summaryRequests } from '../support/conversation.ts';
import { CTXB, PROTOCOL, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { job } from '../support/exact-job.ts';
import { inSoak } from '../support/size.ts';
import type { RecordedRequest } from '../support/standin/scenario.ts';

const SUMMARY = 'This session is being continued from a previous conversation.\nSummary: none';

const SAID = ['NOT THAT ONE', `AND HURRY, THE TOKEN IS ghp_${'a1B2'.repeat(9)}`];

inSoak(
  'prompts of the caller in mid-turn, before and after the mod is loaded, survive exact compactions',
  async ({ signal }) => {
    const { calls } = job({ turns: [36], growBy: 8_000 });
    const waits = new Map([2, 10].map((at) => [at, `until [ -e heard-${at} ]; do sleep 0.1; done`]));
    await using world = await startWorld({
      calls(request, index) {
        const call = (calls as (request: RecordedRequest, index: number) => object)(request, index);
        const command = waits.get(index);
        return command === undefined
          ? call
          : { ...call, tools: [{ name: 'Bash', input: { command, description: 'Wait' } }] };
      },
    });
    const { env, cwd } = world.scratch;
    const args = [CTXB, 'run', '--', world.claude, ...PROTOCOL, ...SMALL_WINDOW, '--dangerously-skip-permissions'];
    const ctxb = startProgram(process.execPath, args, { env: { ...env, CTXB_COMPACTION_HOW: 'auto' }, cwd, signal });
    ctxb.send(promptLine('RUNNING PROMPT'));
    for (const [at, command] of waits) {
      await ctxb.waitForLine((line) => JSON.stringify(line).includes(command));
      ctxb.send(
        promptLine(SAID[at === 2 ? 0 : 1], { uuid: `11111111-1111-4111-8111-${String(at).padStart(12, '0')}` }),
      );
      await ctxb.waitForLine(({ type, state }) => type === 'command_lifecycle' && state === 'queued');
      writeFileSync(join(cwd, `heard-${at}`), '');
    }
    await ctxb.waitForLine(({ type }) => type === 'result');
    ctxb.stdin.end();
    expect((await ctxb.finished).code).toBe(0);

    const requests = mainRequests(world.standin).map(({ body }) => JSON.stringify(body.messages));
    const results = requests.map((text) => text.split('"type":"tool_result"').length);
    expect(results.filter((count, at) => count < (results[at - 1] ?? 0)).length).toBeGreaterThanOrEqual(1);
    expect(summaryRequests(world.standin)).toEqual([]);
    for (const [at, words] of SAID.entries()) {
      const first = requests.findIndex((text) => text.includes(words));
      expect(first).toBe([3, 11][at]);
      for (const text of requests.slice(first)) expect(text.split(words).length).toBe(2);
    }
    expect(requests.at(-1)).toMatch(/RUNNING PROMPT.*NOT THAT ONE.*AND HURRY, THE TOKEN IS ghp_/);
  },
);

inSoak('the report of a background task in mid-turn survives exact compactions', async ({ signal }) => {
  const { calls } = job({ turns: [24], growBy: 8_000 });
  const agent = { description: 'Look', prompt: 'Look.', subagent_type: 'general-purpose', run_in_background: true };
  const wait = (at: number) => ({ command: `until [ -e told-${at} ]; do sleep 0.1; done`, description: 'Wait' });
  const odd = new Map<number, { readonly name: string; readonly input: object }>();
  for (const at of [2, 11]) odd.set(at, { name: 'Agent', input: agent }).set(at + 1, { name: 'Bash', input: wait(at) });
  let reports = 0;
  await using world = await startWorld({
    calls(request, index) {
      const call = (calls as (request: RecordedRequest, index: number) => object)(request, index);
      const tool = odd.get(index);
      return tool === undefined ? call : { ...call, tools: [tool] };
    },
    subagentCalls: () => ({ text: `REPORT ${++reports}` }),
  });
  const { env, cwd } = world.scratch;
  const args = [CTXB, 'run', '--', world.claude, ...PROTOCOL, ...SMALL_WINDOW, '--dangerously-skip-permissions'];
  const ctxb = startProgram(process.execPath, args, { env: { ...env, CTXB_COMPACTION_HOW: 'auto' }, cwd, signal });
  ctxb.send(promptLine('RUNNING PROMPT'));
  for (const at of [2, 11]) {
    await ctxb.waitForLine(
      ({ subtype, summary_is_report }) => subtype === 'task_notification' && summary_is_report === true,
    );
    writeFileSync(join(cwd, `told-${at}`), '');
  }
  await ctxb.waitForLine(({ type }) => type === 'result');
  ctxb.stdin.end();
  expect((await ctxb.finished).code).toBe(0);
  const requests = mainRequests(world.standin).map(({ body }) => JSON.stringify(body.messages));
  expect(summaryRequests(world.standin)).toEqual([]);
  for (const words of ['REPORT 1', 'REPORT 2']) {
    const first = requests.findIndex((text) => text.includes(words));
    for (const text of requests.slice(first)) expect(text.split(words)).toHaveLength(2);
  }
  expect(requests.filter((text) => text.includes('The conversation was compacted here')).length).toBeGreaterThan(0);
  expect(requests.at(-1)).toMatch(/REPORT 1.*REPORT 2/);
});

it('a slash command survives exact compactions with the prompt that it stands for, also when resumed', async () => {
  const { calls } = job({ turns: [12, 2], growBy: 16_000 });
  await using world = await startWorld({ calls });
  const commands = join(world.scratch.cwd, '.claude/commands');
  mkdirSync(commands, { recursive: true });
  writeFileSync(
    join(commands, 'fix.md'),
    '---\ndescription: Fixes\n---\nFIX THE ISSUE $ARGUMENTS. Leave the docs alone.\n',
  );
  const env = { CTXB_COMPACTION_HOW: 'auto' };
  for (const claude of [
    ['-p', '/fix 42'],
    ['-p', 'GO ON', '--continue'],
  ])
    expect((await runCtxb(world, { claude: [...claude, ...SMALL_WINDOW], env })).code).toBe(0);
  const requests = mainRequests(world.standin).map(({ body }) => JSON.stringify(body.messages));
  expect(requests.filter((text) => text.includes('The conversation was compacted here')).length).toBeGreaterThan(1);
  expect(summaryRequests(world.standin)).toEqual([]);
  for (const text of requests) expect(text.split('FIX THE ISSUE 42. Leave the docs alone.')).toHaveLength(2);
  expect(requests.at(-1)).toMatch(/<command-args>42.*FIX THE ISSUE 42.*GO ON/);
});

// Daily ones are in `core/exact/exact-answer.test.ts`.
inSoak.each(['<system-reminder>\nOpen: src/a.ts\n</system-reminder>', '[Request interrupted by user]', SUMMARY])(
  "a running prompt that looks like claude's own text survives exact compactions: %s",
  async (opening) => {
    const { calls } = job({ turns: [12], growBy: 16_000 });
    await using world = await startWorld({ calls });
    const claude = ['-p', `${opening}\nRENAME FOO EVERYWHERE.`, ...SMALL_WINDOW, '--dangerously-skip-permissions'];
    const { code, stderr } = await runCtxb(world, { claude, env: { CTXB_COMPACTION_HOW: 'exact' } });
    expect(code).toBe(0);
    expect(stderr).toContain('all prompts kept');
    for (const { body } of mainRequests(world.standin)) {
      expect(JSON.stringify(body.messages)).toContain('RENAME FOO EVERYWHERE.');
    }
  },
);

it('a prompt that a summary took and a hook handed back survives the next exact compaction', async ({ signal }) => {
  const { calls } = job({ turns: [20], growBy: 16_000 });
  await using world = await startWorld({
    calls(request, index) {
      const call = (calls as (request: RecordedRequest, index: number) => object)(request, index);
      const command = `yes "did ${index} with some words" | head -n 1000`;
      return index < 19 ? { ...call, tools: [{ name: 'Bash', input: { command, description: 'Look' } }] } : call;
    },
  });
  const { env, cwd } = world.scratch;
  const args = [CTXB, 'run', '--', world.claude, ...PROTOCOL, ...SMALL_WINDOW, '--dangerously-skip-permissions'];
  const ctxb = startProgram(process.execPath, args, { env: { ...env, CTXB_COMPACTION_HOW: 'auto' }, cwd, signal });
  // More than an exact compaction may keep.
  ctxb.send(promptLine(`REQUEST ABOVE\n${'a line of a pasted log\n'.repeat(12_000)}REQUEST BELOW`));
  await ctxb.waitForLine(({ type }) => type === 'result');
  ctxb.stdin.end();

  expect((await ctxb.finished).stderr).toMatch(/claude compacted.*compacted .* all prompts kept/s);
  expect(summaryRequests(world.standin)).toHaveLength(1);
  for (const { body } of mainRequests(world.standin))
    expect(JSON.stringify(body.messages)).toMatch(/REQUEST ABOVE.*REQUEST BELOW/);
});

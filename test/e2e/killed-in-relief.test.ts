import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { agent, promptText } from '../support/agent.ts';
import { runProgram, startWorld } from '../support/claude.ts';
import { mainRequests, summaryRequests } from '../support/conversation.ts';
import { CTXB, journalLines, outputLines, prompts, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { DOCUMENT, growing, isAsked } from '../support/handoff.ts';
import { expectEachPromptOnce } from '../support/proof.ts';
import { inSoak } from '../support/size.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';

const STREAM = ['--output-format', 'stream-json', '--verbose'];

inSoak.each([
  { strategy: 'compact', killed: 'claude' },
  { strategy: 'compact', killed: 'ctxb' },
  { strategy: 'handoff', killed: 'claude' },
  { strategy: 'handoff', killed: 'ctxb' },
])(
  'each prompt is answered once if $killed is killed while the model writes a summary or document: $strategy',
  async ({ strategy, killed }) => {
    const { calls } = growing({ turns: [5, 1, 1], growBy: 32_000 });
    const answer = calls as (request: RecordedRequest, index: number) => Call;
    let free = () => {};
    const until = new Promise<void>((resolve) => {
      free = resolve;
    });
    await using world = await startWorld({
      calls: (request, index) =>
        isAsked(request) ? { text: DOCUMENT, context: 158_000, until } : answer(request, index),
      summary: { text: '<summary>All.</summary>', until },
    });
    const flags = ['--strategy', strategy, '--no-mid-turn', ...prompts('prompt one', 'prompt two', 'prompt three')];
    const run = startCtxb(world, { flags, claude: [...SMALL_WINDOW, ...STREAM] });
    run.stdin.end();
    const asked = () => [...summaryRequests(world.standin), ...mainRequests(world.standin).filter(isAsked)];
    await vi.waitFor(() => expect(asked()).toHaveLength(1), { timeout: 30_000 });
    const claude = Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid);
    if (killed === 'claude') process.kill(claude, 'SIGKILL');
    else run.kill('SIGKILL');
    free();
    const ended = [await run.finished];
    if (killed === 'ctxb') ended.push(await runProgram(process.execPath, [CTXB, 'run', '--resume-run'], world.scratch));

    const results = ended.flatMap(outputLines).flatMap(({ type, result }) => (type === 'result' ? [result] : []));
    expect(results).toEqual(['answer 1', 'answer 2', 'answer 3']);
    expect(ended.at(-1)?.code).toBe(0);
  },
);

it('a run that ends while it hands a turn over leaves the prompt unanswered, and can be resumed', async () => {
  await using world = await startWorld(agent({ turns: [9], growBy: 20_000, from: 20_000 }));
  const { cwd } = world.scratch;
  const hook = { type: 'command', command: 'touch cleared; sleep 60' };
  const settings = JSON.stringify({ hooks: { SessionStart: [{ matcher: 'clear', hooks: [hook] }] } });
  const prompt = promptText(1);
  const run = startCtxb(world, {
    flags: ['--strategy', 'handoff', ...prompts(prompt)],
    claude: [...SMALL_WINDOW, ...STREAM, '--settings', settings],
  });
  run.stdin.end();
  await vi.waitFor(() => expect(existsSync(join(cwd, 'cleared'))).toBe(true), { timeout: 30_000 });
  run.kill('SIGTERM');
  const ended = await run.finished;
  expect(ended.code).toBe(143);
  expect(outputLines(ended).map(({ type }) => type)).not.toContain('result');
  expect(ended.stderr).toMatch(/1 prompt not answered \(.*\); continue with ctxb run --resume-run/);

  const taken = await runProgram(process.execPath, [CTXB, 'run', '--resume-run'], world.scratch);
  expect(outputLines(taken).flatMap(({ type, result }) => (type === 'result' ? [result] : []))).toEqual(['answer 1']);
  expectEachPromptOnce(world.standin, [prompt]);
});

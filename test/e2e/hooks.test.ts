import { expect, it } from 'vitest';
import { nameOf } from '../../src/core/governor/decisions.ts';
import { promptLine, startWorld } from '../support/claude.ts';
import { conversation, givenTexts, mainRequests, summaryRequests } from '../support/conversation.ts';
import { journal, PROTOCOL, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { runInProcess } from '../support/in-process.ts';

it('a hook from ctxb that throws does not stop claude', async () => {
  await using world = await startWorld(conversation({ turns: [8], from: 120_000, growBy: 10_000 }));
  const { code, stdout, stderr } = await runInProcess(world, () => {
    throw new Error('broken on purpose');
  });

  expect(stdout).toBe('answer 1\n');
  expect(code).toBe(0);
  expect(summaryRequests(world.standin)).toHaveLength(1);
  expect(stderr).toMatch(/hook \w+: .*claude continues without it/);
});

it("the hooks of a caller's initialize work beside those of ctxb", async () => {
  await using world = await startWorld(conversation({ turns: [8], from: 120_000, growBy: 10_000 }));
  const program = startCtxb(world, { claude: [...SMALL_WINDOW, ...PROTOCOL], env: { CTXB_COMPACTION_HOW: 'auto' } });
  const hooks = {
    PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['mine-tool'] }],
    PreCompact: [{ matcher: null, hookCallbackIds: ['mine-compact'] }],
  };
  program.send({ type: 'control_request', request_id: 'mine-1', request: { subtype: 'initialize', hooks } });
  const answer = await program.waitForLine((line) => line.type === 'control_response');
  expect(answer).toMatchObject({ response: { subtype: 'success', request_id: 'mine-1' } });

  program.send(promptLine('the prompt'));
  const asked = await answerCallbacks(program);
  program.stdin.end();
  const run = await program.finished;

  expect(new Set(asked)).toEqual(new Set(['mine-tool', 'mine-compact']));
  expect(run.stdout.toString()).not.toContain('ctxb:');
  expect(journal(world).map(nameOf)).toEqual(expect.arrayContaining(['mid-turn:focus', 'mid-turn:prompts']));
  const after = mainRequests(world.standin).find(
    ({ index }) => index > (summaryRequests(world.standin)[0]?.index ?? 0),
  );
  expect(givenTexts(after).join('\n')).toContain('the prompt');
});

/** Plays the caller: answers each callback and returns their ids, until the result. */
async function answerCallbacks(program: ReturnType<typeof startCtxb>): Promise<string[]> {
  const asked: string[] = [];
  for (;;) {
    const line = await program.waitForLine(({ type }) => type === 'control_request' || type === 'result');
    if (line.type === 'result') return asked;
    const { callback_id: id } = line.request as { callback_id: string };
    asked.push(id);
    const response = { subtype: 'success', request_id: line.request_id, response: {} };
    program.send({ type: 'control_response', response });
  }
}

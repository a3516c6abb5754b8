import { expect, it } from 'vitest';
import { agent, promptText } from '../support/agent.ts';
import { type Finished, startWorld, type World } from '../support/claude.ts';
import { mainRequests } from '../support/conversation.ts';
import { outputLines, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { isAsked } from '../support/handoff.ts';
import { kinds } from '../support/proof.ts';
import { sampled } from '../support/size.ts';

const CLAUDE = [...SMALL_WINDOW, '--output-format', 'stream-json', '--verbose'];
const TWO = prompts(promptText(1), promptText(2));

function results(run: Finished): unknown[] {
  return outputLines(run).flatMap(({ type, subtype }) => (type === 'result' ? [subtype] : []));
}

/** The calls of the agent, without those for a document. */
function calls({ standin }: World): number {
  return mainRequests(standin).filter((request) => !isAsked(request)).length;
}

it.each(
  sampled([
    { given: 'the option', claude: ['--max-turns', '6'], env: {} },
    { given: 'the variable', claude: [], env: { CLAUDE_CODE_MAX_TURNS: '6' } },
  ]),
)(
  "the caller's limit of a turn ($given) holds, because a handoff waits for the turn's end",
  async ({ claude, env }) => {
    await using world = await startWorld(agent({ turns: [10, 2], growBy: 8_000 }));
    const flags = ['--strategy', 'handoff', '--compact-at', '50000', ...TWO];
    const run = await runCtxb(world, { flags, claude: [...CLAUDE, ...claude], env });
    expect(results(run)).toEqual(['error_max_turns', 'success']);
    expect(calls(world)).toBe(6 + 2);
    expect(kinds(world)).toEqual(['handoff', 'handed-over', 'landed']);
  },
);

it('a warning says that the limit begins again if claude dies in the turn', async () => {
  const { calls: answer, ...scenario } = agent({ turns: [10, 2], growBy: 2_000 });
  const dies = { name: 'Bash', input: { command: 'sleep 0.5; kill -9 $PPID', description: 'End' } };
  await using world = await startWorld({
    ...scenario,
    calls: (request, index) => {
      const call = typeof answer === 'function' ? answer(request, index) : {};
      return index === 3 ? { ...call, tools: [dies] } : call;
    },
  });
  const run = await runCtxb(world, { flags: TWO, claude: [...CLAUDE, '--max-turns', '6'] });
  expect(results(run)).toEqual(['success', 'success']);
  expect(calls(world)).toBe(10 + 2);
  expect(run.stderr).toContain(
    'ctxb: warning: --max-turns starts over: claude counts the calls of the resumed turn from 0\n',
  );
});

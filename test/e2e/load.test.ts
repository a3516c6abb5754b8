import { expect, it } from 'vitest';
import { agent, promptText } from '../support/agent.ts';
import { startWorld } from '../support/claude.ts';
import { prompts, runCtxb, SMALL_WINDOW, untilClosing } from '../support/ctxb.ts';

const AT_ONCE = 4;
const TURNS = [2, 1, 3];

it(`${AT_ONCE} simultaneous runs of the real claude do not disturb each other`, async () => {
  const runs = Array.from({ length: AT_ONCE }, async () => {
    await using world = await startWorld(agent({ turns: TURNS, growBy: 2_000 }));
    const flags = prompts(...TURNS.map((_, index) => promptText(index + 1)));
    const { code, stdout, stderr } = untilClosing(await runCtxb(world, { flags, claude: SMALL_WINDOW }));
    return { code, stderr, stdout: stdout.toString() };
  });
  const answers = TURNS.map((_, index) => `answer ${index + 1}\n`).join('');
  expect(await Promise.all(runs)).toEqual(
    Array.from({ length: AT_ONCE }, () => ({ code: 0, stderr: '', stdout: answers })),
  );
});

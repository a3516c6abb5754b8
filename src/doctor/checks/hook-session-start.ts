import { turns } from '../../standin/scenario.ts';
import { type Check, hold } from '../check.ts';
import { hookOutput } from '../stage/hook-output.ts';
import { holds, requestsOf } from '../stage/requests.ts';

export const hookSessionStart: Check = {
  name: 'hook-session-start',
  fact: 'SessionStart is called after /compact and after /clear, and what it adds begins the fresh context.',
  section: 'Hooks over the control channel',
  instead: 'what a summary loses, or the document of a handoff, goes with the next prompt',
  scenario: {
    calls: turns([{ count: 1, from: 90_000, growBy: 10_000 }, [{ text: 'after compact' }], [{ text: 'after clear' }]]),
  },
  async play(stage) {
    const claude = await stage.start({
      hooks: {
        SessionStart: ({ source }) => hookOutput('SessionStart', { additionalContext: `what is added on ${source}` }),
      },
    });
    await claude.turn('a prompt');
    for (const source of ['compact', 'clear']) {
      await claude.turn(`/${source}`);
      await claude.turn(`the prompt after ${source}`);
      hold(
        claude.calls.some(({ input }) => input.source === source),
        `it was not called after /${source}`,
      );
      const added = holds(requestsOf(stage.standin).at(-1), `what is added on ${source}`);
      hold(added, `what it adds is not in the request after /${source}`);
    }
  },
};

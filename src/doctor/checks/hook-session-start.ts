import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { compactAndClear } from '../scenes/compact-and-clear.ts';
import { holds, requestWith } from '../stage/requests.ts';

export const hookSessionStart: Check = {
  name: 'hook-session-start',
  fact: 'SessionStart is called after /compact and after /clear, and what it adds begins the fresh context.',
  section: 'Hooks over the control channel',
  instead: 'what a summary loses, or the document of a handoff, goes with the next prompt',
  scene: compactAndClear,
  look(seen) {
    for (const source of ['compact', 'clear']) {
      const isCalled = seen.calls.some(({ hook, input }) => hook === 'SessionStart' && input.source === source);
      hold(isCalled, `it was not called after /${source}`);
      const next = requestWith(seen, `the prompt after ${source}`);
      hold(holds(next, `added on ${source}`), `what it adds is not in the request after /${source}`);
    }
  },
};

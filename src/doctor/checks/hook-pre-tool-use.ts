import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { toolsWithHooks } from '../scenes/tools-with-hooks.ts';
import { holds, requestsOf } from '../stage/requests.ts';

export const hookPreToolUse: Check = {
  name: 'hook-pre-tool-use',
  fact: 'PreToolUse may change what a tool is called with (updatedInput), and what it adds reaches the model.',
  section: 'Hooks over the control channel',
  instead: 'a Read is not limited before, but cut after the tool where it is too large',
  scene: toolsWithHooks,
  look(seen) {
    hold(
      seen.calls.some(({ hook }) => hook === 'PreToolUse'),
      'it was not called',
    );
    const request = requestsOf(seen).at(-1);
    hold(holds(request, 'as-the-hook-said'), 'the tool ran as the model said');
    hold(holds(request, 'added before the tool'), 'what it adds is not in the next request');
  },
};

import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { toolsWithHooks } from '../scenes/tools-with-hooks.ts';
import { holds, requestsOf } from '../stage/requests.ts';

export const hookPostToolUse: Check = {
  name: 'hook-post-tool-use',
  fact: 'PostToolUse may replace what the model sees of a result (updatedToolOutput), and add to it.',
  section: 'Hooks over the control channel',
  instead: 'a result that is too large stays whole; the budget counts it, and the next Read gets less',
  scene: toolsWithHooks,
  look(seen) {
    hold(
      seen.calls.some(({ hook }) => hook === 'PostToolUse'),
      'it was not called',
    );
    const request = requestsOf(seen).at(-1);
    hold(holds(request, 'made by the hook'), 'the model sees what the tool has printed');
    hold(holds(request, 'added after the tool'), 'what it adds is not in the next request');
  },
};

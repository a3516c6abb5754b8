import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { toolsWithHooks } from '../scenes/tools-with-hooks.ts';
import { holds, requestsOf } from '../stage/requests.ts';

export const hookPostToolUseFailure: Check = {
  name: 'hook-post-tool-use-failure',
  fact: 'PostToolUseFailure is called when a tool fails, and what it adds reaches the model.',
  section: 'Hooks over the control channel',
  instead: 'failures are counted from the stream, and the agent is told of its budget after the next tool that works',
  scene: toolsWithHooks,
  look(seen) {
    hold(
      seen.calls.some(({ hook }) => hook === 'PostToolUseFailure'),
      'it was not called',
    );
    hold(holds(requestsOf(seen).at(-1), 'added to the failure'), 'what it adds is not in the next request');
  },
};

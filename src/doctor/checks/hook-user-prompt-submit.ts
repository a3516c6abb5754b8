import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { toolsWithHooks } from '../scenes/tools-with-hooks.ts';
import { holds, requestsOf } from '../stage/requests.ts';

export const hookUserPromptSubmit: Check = {
  name: 'hook-user-prompt-submit',
  fact: 'UserPromptSubmit is called with each prompt, and what it adds reaches the model with the prompt.',
  section: 'Hooks over the control channel',
  instead: 'the agent is told of its budget only after its next tool, and what a summary has lost is not handed back',
  scene: toolsWithHooks,
  look(seen) {
    const call = seen.calls.find(({ hook }) => hook === 'UserPromptSubmit');
    hold(call?.input.prompt === 'the prompt', 'it was not called with the prompt');
    hold(holds(requestsOf(seen)[0], 'added to the prompt'), 'what it adds is not in the request');
  },
};

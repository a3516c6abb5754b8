import { type Check, hold } from '../check.ts';
import { hookOutput } from '../stage/hook-output.ts';
import { holds, requestsOf } from '../stage/requests.ts';

export const hookUserPromptSubmit: Check = {
  name: 'hook-user-prompt-submit',
  fact: 'UserPromptSubmit is called with each prompt, and what it adds reaches the model with the prompt.',
  section: 'Hooks over the control channel',
  instead: 'the agent is told of its budget, and gets what a summary lost, only after its next tool',
  scenario: { calls: [{ text: 'answer' }] },
  async play(stage) {
    const output = hookOutput('UserPromptSubmit', { additionalContext: 'what the hook adds' });
    const claude = await stage.start({ hooks: { UserPromptSubmit: () => output } });
    await claude.turn('the prompt');
    hold(claude.calls[0]?.input.prompt === 'the prompt', 'it was not called with the prompt');
    hold(holds(requestsOf(stage.standin)[0], 'what the hook adds'), 'what it adds is not in the request');
  },
};

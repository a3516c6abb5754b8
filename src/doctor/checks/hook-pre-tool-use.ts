import { type Check, hold } from '../check.ts';
import { hookOutput } from '../stage/hook-output.ts';
import { holds, requestsOf } from '../stage/requests.ts';

export const hookPreToolUse: Check = {
  name: 'hook-pre-tool-use',
  fact: 'PreToolUse may change what a tool is called with (updatedInput), and what it adds reaches the model.',
  section: 'Hooks over the control channel',
  instead: 'a Read that is too large is not limited before, but cut after the tool',
  scenario: {
    calls: [
      { tools: [{ name: 'Bash', input: { command: 'printf %s-was-called as-the-model-said' } }] },
      { text: 'done' },
    ],
  },
  async play(stage) {
    const updatedInput = { command: 'printf %s-was-updated call' };
    const output = hookOutput('PreToolUse', { updatedInput, additionalContext: 'what the hook adds' });
    const claude = await stage.start({ hooks: { PreToolUse: () => output } });
    await claude.turn('the prompt');
    hold(claude.calls.length > 0, 'it was not called');
    const request = requestsOf(stage.standin).at(-1);
    hold(holds(request, 'what the hook adds'), 'what it adds is not in the next request');
    hold(holds(request, 'call-was-updated'), 'the tool ran as the model said');
  },
};

import { type Check, hold } from '../check.ts';
import { hookOutput } from '../stage/hook-output.ts';
import { holds, requestsOf } from '../stage/requests.ts';

export const hookPostToolUseFailure: Check = {
  name: 'hook-post-tool-use-failure',
  fact: 'PostToolUseFailure is called when a tool fails, and what it adds reaches the model.',
  section: 'Hooks over the control channel',
  instead: 'failures are counted from the stream, and the agent is told of its budget after the next tool that works',
  scenario: { calls: [{ tools: [{ name: 'Bash', input: { command: 'exit 3' } }] }, { text: 'done' }] },
  async play(stage) {
    const output = hookOutput('PostToolUseFailure', { additionalContext: 'what the hook adds' });
    const claude = await stage.start({ hooks: { PostToolUseFailure: () => output } });
    await claude.turn('the prompt');
    hold(claude.calls.length > 0, 'it was not called');
    hold(holds(requestsOf(stage.standin).at(-1), 'what the hook adds'), 'what it adds is not in the next request');
  },
};

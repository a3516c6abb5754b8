import { type Check, hold } from '../check.ts';
import { hookOutput } from '../stage/hook-output.ts';
import { holds, requestsOf } from '../stage/requests.ts';

export const hookPostToolUse: Check = {
  name: 'hook-post-tool-use',
  fact: 'PostToolUse may replace what the model sees of a result (updatedToolOutput), and add to it.',
  section: 'Hooks over the control channel',
  instead: 'a result that is too large stays whole; the budget counts it, and the next Read gets less',
  scenario: {
    calls: [{ tools: [{ name: 'Bash', input: { command: 'printf what-the-tool-printed' } }] }, { text: 'done' }],
  },
  async play(stage) {
    const claude = await stage.start({
      hooks: {
        PostToolUse: ({ tool_response: report }) =>
          hookOutput('PostToolUse', {
            updatedToolOutput: { ...Object(report), stdout: 'what the hook made of it' },
            additionalContext: 'what the hook adds',
          }),
      },
    });
    await claude.turn('the prompt');
    hold(claude.calls.length > 0, 'it was not called');
    const request = requestsOf(stage.standin).at(-1);
    hold(holds(request, 'what the hook adds'), 'what it adds is not in the next request');
    hold(holds(request, 'what the hook made of it'), 'the model sees what the tool has printed');
  },
};

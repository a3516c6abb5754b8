import { hookOutput } from '../stage/hook-output.ts';
import { scene } from '../stage/scene.ts';

/** Three tools: the first is called with something else, the result of the second replaced, the third fails. */
export const toolsWithHooks = scene({
  scenario: {
    calls: [
      { tools: [{ name: 'Bash', input: { command: 'printf %s as-the-model-said' } }] },
      { tools: [{ name: 'Bash', input: { command: 'printf %s to-be-replaced' } }] },
      { tools: [{ name: 'Bash', input: { command: 'exit 3' } }] },
      { text: 'done' },
    ],
  },
  hooks: {
    UserPromptSubmit: () => hookOutput('UserPromptSubmit', { additionalContext: 'added to the prompt' }),
    PreToolUse: ({ tool_input: input }) => hookOutput('PreToolUse', isOf(input, 'as-the-model-said') ? CHANGED : {}),
    PostToolUse: ({ tool_input: input, tool_response: report }) =>
      hookOutput('PostToolUse', isOf(input, 'to-be-replaced') ? replaced(report) : {}),
    PostToolUseFailure: () => hookOutput('PostToolUseFailure', { additionalContext: 'added to the failure' }),
  },
  says: ['the prompt'],
});

const CHANGED = {
  updatedInput: { command: 'printf %s%s as-the-hook -said' },
  additionalContext: 'added before the tool',
};

function replaced(report: unknown) {
  return {
    updatedToolOutput: { ...Object(report), stdout: 'made by the hook' },
    additionalContext: 'added after the tool',
  };
}

function isOf(input: unknown, words: string): boolean {
  return JSON.stringify(input).includes(words);
}

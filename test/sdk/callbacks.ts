import { fileURLToPath } from 'node:url';
import { createSdkMcpServer, type HookCallback, type HookEvent, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import { bash, calls, converse, FREE, type Program, type Trial } from './trial.ts';

const SERVER = fileURLToPath(new URL('../../fixtures/mcp-server.mjs', import.meta.url));

const PERMISSIONS: Program = {
  name: 'canUseTool that allows, changes, denies, ends the turn, and is interrupted',
  scenario: calls(
    ...['allowed', 'original', 'denied'].map((name) => bash(`touch ${name}`)),
    { text: 'went on' },
    bash('touch stopped'),
    bash('touch late'),
    { text: 'after that' },
  ),
  async run(trial) {
    let asked = 0;
    let interrupt = async () => {};
    await converse(
      trial,
      ['work', 'more', 'still more', 'last'],
      {
        canUseTool: async (name, input, { suggestions, toolUseID, decisionReason, title, signal }) => {
          asked += 1;
          trial.note('permission', { name, input, suggestions, toolUseID, decisionReason, title });
          if (asked === 1) return { behavior: 'allow', updatedInput: input };
          if (asked === 2) return { behavior: 'allow', updatedInput: { ...input, command: 'touch changed' } };
          if (asked === 5) {
            const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
            void interrupt();
            await aborted;
          }
          return { behavior: 'deny', message: 'not this one', interrupt: asked === 4 };
        },
      },
      (_, conversation) => {
        interrupt = async () => void (await conversation.interrupt());
      },
    );
  },
};

const EVENTS: readonly HookEvent[] = [
  ...(['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit', 'SessionStart', 'SessionEnd'] as const),
  ...(['Stop', 'PreCompact', 'PostCompact', 'Notification', 'SubagentStart', 'SubagentStop'] as const),
];

/** A hook of each kind that notes what it is asked. */
export function notingHooks(trial: Trial, answer: HookCallback = async () => ({})) {
  const note: HookCallback = async (input, id, context) => {
    trial.note(input.hook_event_name, { input, id });
    return answer(input, id, context);
  };
  return Object.fromEntries(EVENTS.map((event) => [event, [{ hooks: [note] }]]));
}

const answerHook: HookCallback = async (input) => {
  if (input.hook_event_name === 'Stop') {
    return input.stop_hook_active ? {} : { decision: 'block', reason: 'look at it once more' };
  }
  if (input.hook_event_name === 'UserPromptSubmit') {
    if (input.prompt === 'not this') return { decision: 'block', reason: 'not here' };
    return { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'said by the hook' } };
  }
  if (input.hook_event_name !== 'PreToolUse') return {};
  const hookEventName = 'PreToolUse' as const;
  const { command } = input.tool_input as { command: string };
  if (command === 'echo original') {
    return { hookSpecificOutput: { hookEventName, updatedInput: { command: 'echo changed', description: 'A step' } } };
  }
  return command === 'echo forbidden'
    ? { hookSpecificOutput: { hookEventName, permissionDecision: 'deny', permissionDecisionReason: 'no' } }
    : {};
};

const HOOKS: Program = {
  name: 'hooks that watch, change input, deny, add context, block a prompt and the end of a turn',
  scenario: calls(
    ...['echo original', 'echo forbidden', 'exit 3'].map(bash),
    ...['done', 'looked at', 'again', 'looked at again'].map((text) => ({ text })),
  ),
  async run(trial) {
    const hooks = notingHooks(trial, answerHook);
    await converse(trial, ['work', 'not this', '/compact keep names', 'go on'], {
      ...FREE,
      hooks,
      includeHookEvents: true,
    });
    for (const { kind, body } of trial.world.standin.requests) {
      if (kind === 'main') trial.note('told', JSON.stringify(body.messages).includes('said by the hook'));
    }
  },
};

const SERVERS: Program = {
  name: 'MCP servers in the process, of their own, and added later',
  scenario: calls(
    { tools: [{ name: 'mcp__desk__add', input: { a: 2, b: 3 } }] },
    { tools: [{ name: 'mcp__desk__fail', input: {} }] },
    { text: 'done' },
    { tools: [{ name: 'mcp__late__hello', input: {} }] },
    { text: 'done too' },
  ),
  async run(trial) {
    const add = tool('add', 'Adds', { a: z.number(), b: z.number() }, async ({ a, b }) => {
      trial.note('tool', { a, b });
      return { content: [{ type: 'text', text: String(a + b) }] };
    });
    const fail = tool('fail', 'Fails', {}, async () => {
      throw new Error('it broke');
    });
    const hello = tool('hello', 'Greets', {}, async () => ({ content: [{ type: 'text', text: 'hello' }] }));
    const desk = createSdkMcpServer({ name: 'desk', version: '1.0.0', tools: [add, fail] });
    const late = createSdkMcpServer({ name: 'late', version: '1.0.0', tools: [hello] });
    const shop = { command: process.execPath, args: [SERVER] };
    await converse(
      trial,
      ['add', 'greet'],
      { allowedTools: ['mcp__desk', 'mcp__late'], mcpServers: { desk, shop } },
      async (message, conversation, answered) => {
        if (message.type !== 'result') return;
        trial.note('status', await conversation.mcpServerStatus());
        if (answered === 1) trial.note('added', await conversation.setMcpServers({ desk, late }));
      },
    );
  },
};

/** What claude asks the program. */
export const CALLBACKS: readonly Program[] = [PERMISSIONS, HOOKS, SERVERS];

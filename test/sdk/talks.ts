import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InMemorySessionStore, query, startup } from '@anthropic-ai/claude-agent-sdk';
import { bash, calls, converse, FREE, type Program, talk } from './trial.ts';

const ONE_PROMPT: Program = {
  name: 'one prompt as a string, from a claude that was started before',
  scenario: calls(bash('echo one'), { text: 'done' }),
  async run(trial) {
    const warm = await startup({ options: trial.options(FREE) });
    for await (const message of warm.query('do it')) trial.note('message', message);
  },
};

export const STREAMING: Program = {
  name: 'three prompts in streaming input, with partial messages and echoes',
  scenario: calls({ text: 'one' }, bash('echo two'), { text: 'two' }, { text: 'three' }),
  run: (trial) =>
    converse(trial, ['first', 'second', 'third'], {
      ...FREE,
      includePartialMessages: true,
      extraArgs: { 'replay-user-messages': null },
    }),
};

const COMMANDS: Program = {
  name: 'slash commands, known and unknown',
  scenario: calls({ text: 'one' }, { text: 'two' }),
  run: (trial) => converse(trial, ['one', '/nosuch', '/clear', 'two'], FREE),
};

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const MESSAGES: Program = {
  name: 'a message that asks for no answer, and one with a picture',
  scenario: calls({ text: 'seen' }),
  async run(trial) {
    const { say, end, prompts } = talk();
    say('know this', { shouldQuery: false });
    let results = 0;
    for await (const message of query({ prompt: prompts, options: trial.options(FREE) })) {
      trial.note('message', message);
      if (message.type !== 'result') continue;
      results += 1;
      if (results === 2) end();
      else {
        const source = { type: 'base64', media_type: 'image/png', data: PIXEL } as const;
        say([
          { type: 'text', text: 'what is this?' },
          { type: 'image', source },
        ]);
      }
    }
    for (const { kind, body } of trial.world.standin.requests) {
      if (kind === 'main') trial.note('request', JSON.stringify(body.messages).includes(PIXEL));
    }
  },
};

const FAILURES: Program = {
  name: 'a refusal of the API, and a limit of turns',
  scenario: calls({ error: { status: 400, message: 'not so' } }, bash('echo 1'), bash('echo 2'), { text: 'never' }),
  async run(trial) {
    for (const options of [FREE, { ...FREE, maxTurns: 1 }]) {
      try {
        for await (const message of query({ prompt: 'work', options: trial.options(options) })) {
          trial.note('message', message);
        }
      } catch (error) {
        trial.note('error', String(error));
      }
    }
  },
};

const LOOKER = { description: 'Look', prompt: 'look', subagent_type: 'looker' };

const STRUCTURED: Program = {
  name: 'structured output, a subagent, a session store and a system prompt',
  scenario: () => ({
    calls: [
      // 2.1.330 does not wait for it otherwise, and the lines of both come as it happens.
      { tools: [{ name: 'Agent', input: { ...LOOKER, run_in_background: false } }] },
      { tools: [{ name: 'StructuredOutput', input: { found: 3 } }] },
      { text: 'done' },
    ],
    subagentCalls: [bash('echo seen'), { text: 'found 3' }],
  }),
  async run(trial) {
    const sessionStore = new InMemorySessionStore();
    writeFileSync(join(trial.world.scratch.cwd, 'a.txt'), 'a');
    await converse(trial, ['count'], {
      ...FREE,
      sessionStore,
      systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Count well.' },
      agents: { looker: { description: 'looks', prompt: 'You look.', tools: ['Bash'] } },
      outputFormat: {
        type: 'json_schema',
        schema: { type: 'object', properties: { found: { type: 'number' } }, required: ['found'] },
      },
      forwardSubagentText: true,
    });
    const [request] = trial.world.standin.requests.filter(({ kind }) => kind === 'main');
    trial.note('system', JSON.stringify(request?.body.system).includes('Count well.'));
    trial.note('stored', sessionStore.size);
  },
};

/** What is said to claude, and what comes back. */
export const TALKS: readonly Program[] = [ONE_PROMPT, STREAMING, COMMANDS, MESSAGES, FAILURES, STRUCTURED];

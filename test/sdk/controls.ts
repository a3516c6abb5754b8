import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { expect, vi } from 'vitest';
import { bash, calls, converse, FREE, type Program, talk } from './trial.ts';

const INTERRUPT: Program = {
  name: 'interrupt() in mid-turn, and other prompts',
  scenario: calls(bash('touch begun; sleep 30'), { text: 'after it' }, { text: 'last' }),
  run: (trial) =>
    converse(trial, ['work', 'go on', 'finish'], FREE, async (message, conversation, answered) => {
      if (answered > 0 || message.type !== 'assistant') return;
      // What claude says of the tool depends on whether it runs.
      const begun = join(trial.world.scratch.cwd, 'begun');
      await vi.waitFor(() => expect(existsSync(begun)).toBe(true), { timeout: 60_000 });
      await conversation.interrupt();
    }),
};

const SETTINGS: Program = {
  name: 'setModel, setPermissionMode and setMaxThinkingTokens between turns',
  scenario: calls({ text: 'one' }, { text: 'two' }, bash('touch made'), { text: 'three' }, { text: 'four' }),
  async run(trial) {
    const canUseTool = async (name: string) => {
      trial.note('permission', name);
      return { behavior: 'deny', message: 'no' } as const;
    };
    await converse(
      trial,
      ['first', 'second', 'third', 'fourth'],
      { canUseTool },
      async (message, conversation, answered) => {
        if (message.type !== 'result') return;
        if (answered === 1) await conversation.setModel('claude-opus-4-5');
        if (answered === 2) await conversation.setPermissionMode('acceptEdits');
        if (answered === 3) await conversation.setMaxThinkingTokens(2_000);
      },
    );
    for (const { kind, body } of trial.world.standin.requests) {
      if (kind === 'main') trial.note('request', { model: body.model, thinking: body.thinking });
    }
  },
};

const QUESTIONS: Program = {
  name: 'questions to claude before and after a turn',
  scenario: calls({ text: 'one' }, { text: 'two' }),
  // The usage shows where claude compacts by itself, which ctxb moves, and what the agent was told.
  ctxb: { CTXB_MID_TURN_ENABLED: 'false', CTXB_ZONES_TELL_AGENT: 'false' },
  async run(trial) {
    const { say, end, prompts } = talk();
    const conversation = query({ prompt: prompts, options: trial.options(FREE) });
    trial.note('commands', await conversation.supportedCommands());
    trial.note('models', await conversation.supportedModels());
    trial.note('agents', await conversation.supportedAgents());
    trial.note('account', await conversation.accountInfo());
    trial.note('usage', await conversation.getContextUsage());
    say('first');
    let answered = 0;
    for await (const message of conversation) {
      trial.note('message', message);
      if (message.type !== 'result') continue;
      trial.note('usage', await conversation.getContextUsage());
      answered += 1;
      if (answered === 2) end();
      else {
        trial.note('initialized', Object.keys(await conversation.reinitialize()));
        say('second');
      }
    }
  },
};

const RESUME: Program = {
  name: 'continue, resume and fork',
  scenario: calls({ text: 'one' }, { text: 'two' }, { text: 'three' }),
  async run(trial) {
    let session = '';
    const ask = async (prompt: string, more: object) => {
      for await (const message of query({ prompt, options: trial.options({ ...FREE, ...more }) })) {
        trial.note('message', message);
        if (message.type !== 'result') continue;
        trial.note('same session', session === message.session_id);
        session = message.session_id;
      }
    };
    await ask('first', {});
    await ask('second', { continue: true });
    await ask('third', { resume: session, forkSession: true });
    for (const { kind, body } of trial.world.standin.requests) {
      if (kind === 'main') trial.note('messages in a request', body.messages?.length);
    }
  },
};

const CHECKPOINT: Program = {
  name: 'files taken back to a prompt',
  scenario: () => ({
    calls: (request, index) => {
      const folder = /working directory: (\S+?)(?:\\n|\s)/.exec(JSON.stringify(request.body))?.[1] ?? '';
      const input = { file_path: `${folder}/made.txt`, content: 'made' };
      return index === 0 ? { tools: [{ name: 'Write', input }] } : { text: 'done' };
    },
  }),
  async run(trial) {
    let said: string | undefined;
    const options = { ...FREE, enableFileCheckpointing: true, extraArgs: { 'replay-user-messages': null } };
    await converse(trial, ['make a file'], options, async (message, conversation) => {
      if (message.type === 'user') said ??= message.uuid;
      if (message.type === 'result') trial.note('rewound', await conversation.rewindFiles(said ?? ''));
    });
  },
};

const ABORT: Program = {
  name: 'an abortController in mid-turn',
  scenario: calls(bash('touch begun; sleep 30'), { text: 'never' }),
  async run(trial) {
    const abortController = new AbortController();
    try {
      await converse(trial, ['work'], { ...FREE, abortController }, (message) => {
        if (message.type === 'assistant') abortController.abort();
      });
    } catch (error) {
      trial.note('error', error instanceof Error ? [error.constructor.name, error.message] : error);
    }
  },
};

const LEAVING: Program = {
  name: 'a loop that is left in mid-turn',
  scenario: calls(bash('touch begun; sleep 30'), { text: 'never' }),
  async run(trial) {
    for await (const message of query({ prompt: 'work', options: trial.options(FREE) })) {
      trial.note('message', message);
      if (message.type === 'assistant') break;
    }
  },
};

/** What the program asks of claude, and how it ends it. */
export const CONTROLS: readonly Program[] = [INTERRUPT, SETTINGS, QUESTIONS, RESUME, CHECKPOINT, ABORT, LEAVING];

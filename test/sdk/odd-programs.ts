import { setTimeout as delay } from 'node:timers/promises';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { bash, calls, converse, FREE, type Program, type Trial, talk } from './trial.ts';

const big = { input: 2_000, output: 3_000 };

/** Says one prompt, notes its result, and says in which session it was. */
async function ask(trial: Trial, prompt: string, more: object) {
  let session = '';
  for await (const message of query({ prompt, options: trial.options({ ...FREE, ...more }) })) {
    if (message.type !== 'result') continue;
    trial.note('message', message);
    session = message.session_id;
  }
  return session;
}

/** The same of a program that may fail. */
async function converseOrFail(trial: Trial, ...rest: Tail<Parameters<typeof converse>>) {
  try {
    await converse(trial, ...rest);
  } catch (error) {
    trial.note('error', String(error));
  }
}

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;

const SEVERAL: Program = {
  name: 'several queries at once',
  scenario: () => ({ calls: () => ({ text: 'same', usage: big }) }),
  async run(trial) {
    await Promise.all(['a', 'b', 'c'].map((prompt) => ask(trial, prompt, {})));
  },
};

const PAUSES: Program = {
  name: 'streaming input with pauses, and a prompt into the running turn',
  scenario: calls(bash('sleep 1'), { text: 'one' }, { text: 'two' }, { text: 'three' }),
  async run(trial) {
    const { say, end, prompts } = talk();
    say('first');
    let results = 0;
    let isSaid = false;
    for await (const message of query({ prompt: prompts, options: trial.options(FREE) })) {
      trial.note('message', message);
      if (message.type === 'assistant' && !isSaid) {
        isSaid = true;
        say('meanwhile');
      }
      if (message.type !== 'result') continue;
      results += 1;
      await delay(300);
      if (results === 1) say('second');
      else if (results === 2) say('third');
      else end();
    }
  },
};

const MODEL_IN_TURN: Program = {
  name: 'setModel in mid-turn',
  scenario: calls(bash('sleep 1'), { text: 'one' }, { text: 'two' }),
  async run(trial) {
    let isSet = false;
    await converse(trial, ['first', 'second'], FREE, async (message, conversation) => {
      if (message.type !== 'assistant' || isSet) return;
      isSet = true;
      await conversation.setModel('claude-opus-4-5');
    });
    for (const { kind, body } of trial.world.standin.requests) if (kind === 'main') trial.note('model', body.model);
  },
};

const TURNS: Program = {
  name: 'maxTurns in streaming input',
  scenario: calls(bash('echo 1'), bash('echo 2'), { text: 'after' }, { text: 'third' }),
  run: (trial) => converseOrFail(trial, ['first', 'second', 'third'], { ...FREE, maxTurns: 1 }),
};

const BUDGET: Program = {
  name: 'maxBudgetUsd in streaming input',
  scenario: () => ({ calls: (_, index) => ({ ...(index < 2 ? bash(`echo ${index}`) : { text: 'x' }), usage: big }) }),
  async run(trial) {
    await converseOrFail(trial, ['first', 'second', 'third'], { ...FREE, maxBudgetUsd: 0.06 });
    trial.note('calls', trial.world.standin.requests.length);
  },
};

const EARLY_ABORT: Program = {
  name: 'an abort before the first message, and one between two prompts',
  scenario: calls({ text: 'one' }, { text: 'two' }),
  async run(trial) {
    const early = new AbortController();
    setTimeout(() => early.abort(), 50);
    await converseOrFail(trial, ['work'], { ...FREE, abortController: early });
    const between = new AbortController();
    await converseOrFail(trial, ['one', 'two'], { ...FREE, abortController: between }, (message) => {
      if (message.type === 'result') between.abort();
    });
  },
};

const FORKS: Program = {
  name: 'another model, a fork, and the session that it left',
  scenario: () => ({ calls: ({ body }) => ({ text: `answer ${body.messages?.length}`, usage: big }) }),
  async run(trial) {
    const first = await ask(trial, 'first', {});
    const second = await ask(trial, 'second', { resume: first, model: 'claude-opus-4-5' });
    const fork = await ask(trial, 'third', { resume: second, forkSession: true });
    trial.note('other', fork !== second);
    await ask(trial, 'fourth', { resume: second });
  },
};

const INTERRUPTS: Program = {
  name: 'interrupts before, between and twice, with a prompt right behind',
  scenario: calls({ text: 'one' }, bash('sleep 20'), { text: 'three' }, { text: 'four' }),
  async run(trial) {
    const { say, end, prompts } = talk();
    const conversation = query({ prompt: prompts, options: trial.options(FREE) });
    await conversation.interrupt();
    say('first');
    let results = 0;
    let isStopped = false;
    for await (const message of conversation) {
      trial.note('message', message);
      if (message.type === 'assistant' && results === 1 && !isStopped) {
        isStopped = true;
        await delay(500);
        await Promise.all([conversation.interrupt(), conversation.interrupt()]);
        say('third');
      }
      if (message.type !== 'result') continue;
      results += 1;
      if (results === 1) {
        await conversation.interrupt();
        await delay(200);
        say('second');
      }
      if (results === 3) end();
    }
  },
};

const UUIDS: Program = {
  name: 'prompts with ids of their own, one said twice',
  scenario: calls({ text: 'one' }, { text: 'two' }, { text: 'three' }),
  async run(trial) {
    const { say, end, prompts } = talk();
    const uuid = '11111111-2222-4333-8444-555555555555' as const;
    say('first', { uuid });
    let results = 0;
    for await (const message of query({ prompt: prompts, options: trial.options(FREE) })) {
      trial.note('message', message);
      if (message.type !== 'result') continue;
      results += 1;
      if (results === 1) {
        say('first', { uuid });
        say('second');
      } else end();
    }
    trial.note('calls', trial.world.standin.requests.length);
  },
};

const ERRORS: Program = {
  name: 'errors of the API in the second of three prompts',
  scenario: calls(
    { text: 'one', usage: big },
    { error: { status: 400, message: 'not so' } },
    { text: 'three', usage: big },
  ),
  run: (trial) => converse(trial, ['first', 'second', 'third'], FREE),
};

const OVERLOADED: Program = {
  name: 'an API that is overloaded twice',
  scenario: calls(
    { error: { status: 529 }, headers: { 'retry-after': '1' } },
    { text: 'one', usage: big },
    { error: { status: 500 } },
    { text: 'two', usage: big },
  ),
  run: (trial) => converse(trial, ['first', 'second'], FREE),
};

const SLOW_PERMISSION: Program = {
  name: 'a permission that takes its time, while another prompt arrives',
  scenario: calls(bash('touch a'), { text: 'one' }, { text: 'two' }),
  async run(trial) {
    const { say, end, prompts } = talk();
    say('first');
    let results = 0;
    const canUseTool = async (name: string, input: Record<string, unknown>) => {
      trial.note('permission', name);
      say('second');
      await delay(700);
      return { behavior: 'allow', updatedInput: input } as const;
    };
    for await (const message of query({ prompt: prompts, options: trial.options({ canUseTool }) })) {
      trial.note('message', message);
      if (message.type === 'result') results += 1;
      if (message.type === 'result' && results === 1) end();
    }
  },
};

const REFUSALS: Program = {
  name: 'stop reasons: max_tokens, refusal, an empty answer',
  scenario: calls(
    { text: 'cut', stopReason: 'max_tokens', usage: big },
    { text: 'went on', usage: big },
    { text: 'no', stopReason: 'refusal', usage: big },
    { content: [], usage: big } as never,
    { text: 'last', usage: big },
  ),
  run: (trial) => converse(trial, ['first', 'second', 'third', 'fourth'], FREE),
};

const BACKGROUND: Program = {
  name: 'a subagent in the background, with a prompt meanwhile',
  scenario: () => ({
    calls: (_, index) =>
      index === 0
        ? {
            tools: [
              {
                name: 'Agent',
                input: { description: 'A', prompt: 'work', subagent_type: 'general-purpose', run_in_background: true },
              },
            ],
            usage: big,
          }
        : { text: `main ${index}`, usage: big },
    subagentCalls: (_, index) => (index === 0 ? { ...bash('sleep 1'), usage: big } : { text: 'found', usage: big }),
  }),
  async run(trial) {
    const { say, end, prompts } = talk();
    say('first');
    let results = 0;
    for await (const message of query({ prompt: prompts, options: trial.options(FREE) })) {
      if (message.type === 'result') trial.note('message', message);
      if (message.type !== 'result') continue;
      results += 1;
      if (results === 2) end();
    }
  },
};

/** Ways in which programs say prompts, end turns and leave, each with what it costs. */
export const ODD: readonly Program[] = [
  SEVERAL,
  PAUSES,
  MODEL_IN_TURN,
  TURNS,
  BUDGET,
  EARLY_ABORT,
  FORKS,
  INTERRUPTS,
  UUIDS,
  ERRORS,
  OVERLOADED,
  SLOW_PERMISSION,
  REFUSALS,
  BACKGROUND,
];

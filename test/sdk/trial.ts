import { dirname } from 'node:path';
import { type Options, type Query, query, type SDKMessage, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import { startWorld, type World } from '../support/claude.ts';
import type { Call, Scenario } from '../support/standin/scenario.ts';
import { plain } from './plain.ts';

/** One program of the Agent SDK and what the model says to it. */
export interface Program {
  readonly name: string;
  readonly scenario: () => Scenario;
  /** Variables for ctxb, where it would do what the program can see. */
  readonly ctxb?: Readonly<Record<string, string>>;
  run(trial: Trial): Promise<void>;
}

/** How the SDK comes to its claude. */
export type Way = (world: World) => Partial<Options>;

/** What a program has to work with. */
export interface Trial {
  readonly world: World;
  /** Options that keep the SDK in the world of the trial, and the program's own. */
  options(more?: Partial<Options>): Options;
  /** Notes what the program has seen or been asked, by what it is. */
  note(what: string, value: unknown): void;
}

/** Everything a program has seen, without what differs from one run to the next. */
export type Seen = Record<string, unknown[]>;

/** Runs a program in a world of its own. */
export async function runTrial(program: Program, way: Way, env: Readonly<Record<string, string>> = {}): Promise<Seen> {
  await using world = await startWorld(program.scenario());
  const seen: Seen = {};
  const { cwd } = world.scratch;
  await program.run({
    world,
    options: (more) => ({
      cwd,
      env: { ...world.scratch.env, ...env },
      model: 'claude-sonnet-4-6',
      settingSources: [],
      ...more,
      ...way(world),
    }),
    note(what, value) {
      seen[what] = [...(seen[what] ?? []), plain(value, dirname(cwd))];
    },
  });
  return seen;
}

/** Every tool may be used. */
export const FREE = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;

export function bash(command: string): Call {
  return { tools: [{ name: 'Bash', input: { command, description: 'A step' } }] };
}

export function calls(...list: Call[]): () => Scenario {
  return () => ({ calls: list });
}

/** Prompts that a program says one after the other. */
export interface Talk {
  readonly prompts: AsyncIterable<SDKUserMessage>;
  say(content: SDKUserMessage['message']['content'], more?: Partial<SDKUserMessage>): void;
  end(): void;
}

export function talk(): Talk {
  const waiting: SDKUserMessage[] = [];
  let isOver = false;
  let wake = () => {};

  async function* read(): AsyncGenerator<SDKUserMessage> {
    while (true) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (isOver) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }

  return {
    prompts: read(),
    say(content, more = {}) {
      waiting.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more });
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
  };
}

/** Says each prompt when the one before is answered; `between` may do something before each. */
export async function converse(
  trial: Trial,
  prompts: readonly string[],
  options: Partial<Options> = {},
  onMessage: (message: SDKMessage, conversation: Query, answered: number) => unknown = () => {},
): Promise<void> {
  const { say, end, prompts: stream } = talk();
  const conversation = query({ prompt: stream, options: trial.options(options) });
  let answered = 0;
  say(prompts[0] ?? '');
  for await (const message of conversation) {
    trial.note('message', message);
    if (message.type === 'result') answered += 1;
    await onMessage(message, conversation, answered);
    if (message.type !== 'result') continue;
    const next = prompts[answered];
    if (next === undefined) end();
    else say(next);
  }
}

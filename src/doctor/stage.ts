import { addAbortSignal } from 'node:stream';
import split2 from 'split2';
import { type Child, startChild } from '../claude/child.ts';
import { TWO_WAY } from '../claude/claude-arguments.ts';
import { isToolHook } from '../core/governor/control/hook-callbacks.ts';
import type { HookName } from '../core/governor/effects.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import type { ControlRequestEvent, ControlResponseEvent, Event } from '../core/protocol/events.ts';
import { type Fields, fieldsOf } from '../core/protocol/fields.ts';
import type { Scenario } from '../standin/scenario.ts';
import type { ScratchEnvironment } from '../standin/scratch-environment.ts';
import type { Standin } from '../standin/server.ts';
import { withStandin } from '../standin/standin.ts';
import { type ModFolder, makeModFolder } from '../store/runs/mod-folder.ts';
import { Contradiction } from './check.ts';

export interface TestedClaude {
  readonly claude: string;
  readonly path: string | undefined;
  /** Folder of ctxb's mod. Default: where the build puts it. */
  readonly mod?: URL;
}

/** Functions that answer the hooks of a scene; a hook whose function returns undefined fails. */
export type Hooks = Readonly<Partial<Record<HookName, (input: Fields) => object | undefined>>>;

/** The output of claude in a scene. */
export interface ClaudeOutput {
  /** The events of each turn, up to its result. */
  readonly turns: (readonly Event[])[];
  /** Answers on the control channel, by the subtype of their request. */
  readonly answers: Map<string, ControlResponseEvent>;
}

/** The place of a scene: a stand-in for the API, a home folder and a work folder. */
export interface Stage {
  readonly standin: Standin;
  readonly scratch: ScratchEnvironment;
  readonly timeout: AbortSignal;
  readonly heard: ClaudeOutput;
  /** Starts a claude in the two-way mode that never asks for permission to use a tool. */
  start(args?: readonly string[], hooks?: Hooks): Promise<Conversation>;
  makeModFolder(): ModFolder;
}

export function withStage<T>(
  scenario: Scenario,
  { claude, path, mod }: TestedClaude,
  timeout: AbortSignal,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  return withStandin(scenario, path, async (standin, scratch) => {
    const claudes: Conversation[] = [];
    const stage: Stage = {
      standin,
      scratch,
      timeout,
      heard: { turns: [], answers: new Map() },
      async start(args = [], hooks = {}) {
        const { cwd, env } = scratch;
        const child = await startChild({
          command: claude,
          args: [...TWO_WAY, '--dangerously-skip-permissions', ...args],
          cwd,
          env,
        });
        const conversation = startConversation(child, hooks, stage);
        claudes.push(conversation);
        return conversation;
      },
      makeModFolder: () => makeModFolder(scratch.home, mod),
    };
    return work(stage).finally(() => Promise.all(claudes.map(({ kill }) => kill())));
  });
}

export type Conversation = ReturnType<typeof startConversation>;

/** Maximum UTF-16 units of claude's stderr in the error after an early exit. */
const STDERR_LENGTH = 500;

/** Opens the control channel as ctxb does: `initialize` first, with the hooks. */
function startConversation(child: Child, hooks: Hooks, { timeout, heard }: Stage) {
  const lines = addAbortSignal(timeout, child.stdout.pipe(split2(receive)));
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk}`.slice(-STDERR_LENGTH);
  });

  function send(line: Fields): void {
    child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  function receive(line: string): Event {
    const event = decodeLine(line);
    if (event.kind === 'control-request') send(hookAnswer(event, hooks));
    if (event.kind === 'control-response') heard.answers.set(event.requestId, event);
    return event;
  }

  /** Reads events until the last one of a part. */
  async function read(what: string, isLast: (event: Event) => boolean): Promise<readonly Event[]> {
    const events: Event[] = [];
    try {
      for await (const event of lines.iterator({ destroyOnReturn: false })) {
        events.push(event);
        if (isLast(event)) return events;
      }
    } catch (error) {
      throw timeout.aborted ? new Contradiction(`${what} did not come`) : error;
    }
    child.kill('SIGKILL');
    const { signal, code } = await child.ended;
    throw new Contradiction(`${what}: claude ended before (${signal ?? `exit code ${code}`}) ${stderr.trim()}`.trim());
  }

  function request(subtype: string, more: Fields): void {
    send({ type: 'control_request', request_id: subtype, request: { subtype, ...more } });
  }

  request('initialize', { hooks: hookRegistration(hooks) });
  return {
    async ask(subtype: string, more: Fields): Promise<ControlResponseEvent> {
      request(subtype, more);
      await read(`the answer to ${subtype}`, () => heard.answers.has(subtype));
      return heard.answers.get(subtype) as ControlResponseEvent;
    },
    /** Sends prompts, each after the turn of the one before. */
    async say(...prompts: readonly string[]): Promise<void> {
      for (const content of prompts) {
        send({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' });
        heard.turns.push(await read(`the result of "${content}"`, ({ kind }) => kind === 'result'));
      }
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await child.ended;
    },
  };
}

function hookAnswer({ requestId, callbackId = '', request }: ControlRequestEvent, hooks: Hooks): Fields {
  const output = hooks[callbackId as HookName]?.(fieldsOf(request.input));
  const response = output
    ? { subtype: 'success', request_id: requestId, response: output }
    : { subtype: 'error', request_id: requestId, error: 'refused on purpose' };
  return { type: 'control_response', response };
}

/** Registers the hooks by their names; those of tools apply to every tool, because the scenes use Bash. */
function hookRegistration(hooks: Hooks): Fields {
  const names = Object.keys(hooks) as HookName[];
  return Object.fromEntries(
    names.map((name) => [name, [{ matcher: isToolHook(name) ? '*' : null, hookCallbackIds: [name] }]]),
  );
}

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, type ChildEnd, startChild } from '../claude/child.ts';
import { CALLBACKS, isToolHook } from '../core/governor/control/hook-callbacks.ts';
import type { HookName } from '../core/governor/effects.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import type { ControlRequestEvent, ControlResponseEvent, Event } from '../core/protocol/events.ts';
import { type Fields, fieldsOf, textOf } from '../core/protocol/fields.ts';
import { createFramer } from '../core/protocol/frame.ts';
import type { Scenario } from '../standin/scenario.ts';
import { createScratchEnvironment, type ScratchEnvironment } from '../standin/scratch-environment.ts';
import { type Standin, startStandin } from '../standin/server.ts';
import { type ModFolder, makeModFolder } from '../store/runs/mod-folder.ts';
import { Contradiction, eventsOf } from './check.ts';

export interface Place {
  readonly claude: string;
  readonly path: string | undefined;
  /** Folder of ctxb's mod. Default: where the build puts it. */
  readonly mod?: URL;
}

export interface StartOptions {
  readonly args?: readonly string[];
  readonly hooks?: Hooks;
}

/** A stand-in for the API, a home and a work folder for a scene. */
export interface Stage {
  readonly standin: Standin;
  readonly scratch: ScratchEnvironment;
  readonly timeout: AbortSignal;
  /** Starts a claude in the two-way mode that never asks for permission to use a tool. */
  start(options?: StartOptions): Promise<Conversation>;
  makeModFolder(): ModFolder;
}

const TWO_WAY = [
  ...['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
  '--dangerously-skip-permissions',
];

export async function withStage<T>(
  scenario: Scenario,
  { claude, path, mod }: Place,
  timeout: AbortSignal,
  work: (stage: Stage) => Promise<T>,
): Promise<T> {
  const standin = await startStandin(scenario);
  const scratch = await createScratchEnvironment({ url: standin.url, path });
  const children: Child[] = [];
  const stage: Stage = {
    standin,
    scratch,
    timeout,
    async start({ args = [], hooks = {} } = {}) {
      const { cwd, env } = scratch;
      const child = await startChild({ command: claude, args: [...TWO_WAY, ...args], cwd, env });
      children.push(child);
      return startConversation(child, hooks, timeout);
    },
    makeModFolder: () => makeModFolder(scratch.home, mod),
  };
  try {
    return await work(stage);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(({ ended }) => ended));
    await standin.close();
    await scratch.dispose();
  }
}

/** The hooks of a scene, with their answers; undefined is a failure. */
export type Hooks = Readonly<Partial<Record<HookName, (input: Fields) => object | undefined>>>;

export type Conversation = ReturnType<typeof startConversation>;

/** Opens the control channel as ctxb does: `initialize` first, with the hooks. @param patience aborted on a timeout */
export function startConversation(child: Child, hooks: Hooks, patience: AbortSignal) {
  let at = 0;
  let requestCount = 0;
  const send = (line: Fields) => void (child.stdin.writable && child.stdin.write(`${JSON.stringify(line)}\n`));
  const { events, end, wait } = listen(child, patience, (event) => {
    if (event.kind === 'control-request') send(answerTo(event));
  });

  function answerTo({ requestId, callbackId, request }: ControlRequestEvent): Fields {
    const [hook] = HOOKS.find(([, id]) => id === callbackId) ?? [];
    const output = hook && hooks[hook]?.(fieldsOf(request.input));
    const response = output
      ? { subtype: 'success', request_id: requestId, response: output }
      : { subtype: 'error', request_id: requestId, error: 'refused on purpose' };
    return { type: 'control_response', response };
  }

  function ask(request: Fields): Promise<ControlResponseEvent> {
    requestCount += 1;
    const id = `doctor:${requestCount}`;
    send({ type: 'control_request', request_id: id, request });
    return wait(`the answer to ${textOf(request.subtype)}`, () =>
      eventsOf(events, 'control-response').find(({ requestId }) => requestId === id),
    );
  }

  const opened = ask({ subtype: 'initialize', hooks: hookRegistration(hooks) });
  // Most scenes do not await it.
  opened.catch(() => {});
  return {
    events,
    opened,
    ask,
    async turn(text: string): Promise<readonly Event[]> {
      send({ type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, session_id: '' });
      const result = await wait(`the result of "${text}"`, () => eventsOf(events.slice(at), 'result')[0]);
      const from = at;
      at = events.indexOf(result) + 1;
      return events.slice(from, at);
    },
    kill: child.kill,
    ended: () => wait('its end', end),
  };
}

const HOOKS = Object.entries(CALLBACKS) as [HookName, string][];

/** Registers the hooks; those of tools apply to every tool, because the scenes use Bash. */
function hookRegistration(hooks: Hooks): Fields {
  const names = Object.keys(hooks) as HookName[];
  return Object.fromEntries(
    names.map((name) => [name, [{ matcher: isToolHook(name) ? '*' : null, hookCallbackIds: [CALLBACKS[name]] }]]),
  );
}

/** Maximum UTF-16 units of claude's stderr in the error after an early exit. */
const STDERR_LENGTH = 500;

const LOOK_EVERY_MS = 10;

function listen(child: Child, patience: AbortSignal, onEvent: (event: Event) => void) {
  const events: Event[] = [];
  let end: ChildEnd | undefined;
  let stderr = '';
  const framer = createFramer();
  child.stdout.on('data', (chunk: Buffer) => {
    for (const line of framer.push(chunk)) {
      const event = decodeLine(line.toString());
      events.push(event);
      onEvent(event);
    }
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk}`.slice(-STDERR_LENGTH);
  });
  void Promise.all([child.ended, once(child.stdout, 'end')]).then(([how]) => {
    end = how;
  });

  return {
    events,
    end: () => end,
    /** Calls `look` until it returns a value, claude ends, or the time is up. */
    async wait<T>(what: string, look: () => T | undefined): Promise<T> {
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        if (patience.aborted) throw new Contradiction(`${what} did not come`);
        if (end !== undefined) {
          const how = end.signal ?? `exit code ${end.code}`;
          throw new Contradiction(`${what}: claude ended before (${how}) ${stderr.trim()}`.trim());
        }
        await delay(LOOK_EVERY_MS);
      }
    },
  };
}

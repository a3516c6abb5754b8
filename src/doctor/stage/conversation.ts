import { EventEmitter, once } from 'node:events';
import type { Child, ChildEnd } from '../../claude/child.ts';
import { MATCHERS } from '../../core/governor/control/control.ts';
import { CALLBACKS } from '../../core/governor/control/hook-callbacks.ts';
import type { HookName } from '../../core/governor/effects.ts';
import { decodeLine } from '../../core/protocol/decode.ts';
import type { ControlRequestEvent, ControlResponseEvent, Event } from '../../core/protocol/events.ts';
import { type Fields, fieldsOf, textOf } from '../../core/protocol/fields.ts';
import { createFramer } from '../../core/protocol/frame.ts';
import { Contradiction } from '../check.ts';
import { eventsOf } from './scene.ts';

/** What a hook is answered: its output, or that it failed. */
type HookAnswer = object | 'error';

/** Hooks, and how each is answered. */
export type Hooks = Readonly<Partial<Record<HookName, (input: Fields) => HookAnswer>>>;

/** A claude that is spoken to. What it says is understood by the same decoder as in a run. */
export type Conversation = ReturnType<typeof converse>;

/**
 * Opens the control channel as ctxb does: `initialize` first, with the hooks.
 *
 * @param patience aborted when nothing more is waited for
 */
export function converse(child: Child, hooks: Hooks, patience: AbortSignal) {
  let at = 0;
  let asked = 0;

  const send = (line: Fields) => void (child.stdin.writable && child.stdin.write(`${JSON.stringify(line)}\n`));
  const { events, end, wait } = listen(child, patience, (event) => {
    if (event.kind === 'control-request') send(answerTo(event));
  });

  /** The answer to a hook; anything else that claude asks is refused. */
  function answerTo({ requestId, callbackId, request }: ControlRequestEvent): Fields {
    const [hook] = HOOKS.find(([, id]) => id === callbackId) ?? [];
    const output = (hook && hooks[hook]?.(fieldsOf(request.input))) ?? 'error';
    const response =
      output === 'error'
        ? { subtype: 'error', request_id: requestId, error: 'refused on purpose' }
        : { subtype: 'success', request_id: requestId, response: output };
    return { type: 'control_response', response };
  }

  function ask(request: Fields): Promise<ControlResponseEvent> {
    asked += 1;
    const id = `doctor:${asked}`;
    send({ type: 'control_request', request_id: id, request });
    return wait(`the answer to ${textOf(request.subtype)}`, () =>
      eventsOf(events, 'control-response').find(({ requestId }) => requestId === id),
    );
  }

  const opened = ask({ subtype: 'initialize', hooks: registered(hooks) });
  // Most scenes do not wait for it.
  opened.catch(() => {});
  return {
    events,
    /** The answer to `initialize`. */
    opened,
    ask,
    /** Sends a prompt. Resolves with all that comes up to the next result. */
    turn(text: string): Promise<readonly Event[]> {
      send({ type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, session_id: '' });
      return wait(`the result of "${text}"`, () => {
        const index = events.findIndex(({ kind }, place) => place >= at && kind === 'result');
        if (index === -1) return undefined;
        const heard = events.slice(at, index + 1);
        at = index + 1;
        return heard;
      });
    },
    kill: child.kill,
    ended: () => wait('its end', end),
  };
}

const HOOKS = Object.entries(CALLBACKS) as [HookName, string][];

/** Those of tools for every tool: the scenes use Bash. */
function registered(hooks: Hooks): Fields {
  const names = Object.keys(hooks) as HookName[];
  return Object.fromEntries(
    names.map((name) => [name, [{ matcher: name in MATCHERS ? '*' : null, hookCallbackIds: [CALLBACKS[name]] }]]),
  );
}

/** UTF-16 units of claude's stderr that are shown where it has ended too early. */
const STDERR_LENGTH = 500;

function listen(child: Child, patience: AbortSignal, onEvent: (event: Event) => void) {
  const events: Event[] = [];
  const news = new EventEmitter();
  // Each one that waits listens.
  news.setMaxListeners(0);
  const wake = () => void news.emit('more');
  let end: ChildEnd | undefined;
  let stderr = '';

  const framer = createFramer();
  child.stdout.on('data', (chunk: Buffer) => {
    for (const line of framer.push(chunk)) {
      const event = decodeLine(line.toString());
      events.push(event);
      onEvent(event);
    }
    wake();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk}`.slice(-STDERR_LENGTH);
  });
  void Promise.all([child.ended, once(child.stdout, 'end')]).then(([how]) => {
    end = how;
    wake();
  });
  patience.addEventListener('abort', wake);

  return {
    events,
    end: () => end,
    /** Looks again after each line, until something is found, claude has ended, or the patience is at its end. */
    async wait<T>(what: string, look: () => T | undefined): Promise<T> {
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        if (patience.aborted) throw new Contradiction(`${what} did not come`);
        if (end !== undefined) {
          throw new Contradiction(`${what}: claude ended before (${endText(end)}) ${stderr.trim()}`.trim());
        }
        await once(news, 'more');
      }
    },
  };
}

function endText({ code, signal }: ChildEnd): string {
  return signal ?? `exit code ${code}`;
}

import { once } from 'node:events';
import type { HookName } from '../../governor/actions.ts';
import { MATCHERS } from '../../governor/control/control.ts';
import { CALLBACKS } from '../../governor/control/restore.ts';
import type { Child, ChildEnd } from '../../session/child.ts';
import { decodeLine } from '../../stream/decode.ts';
import type { ControlRequestEvent, ControlResponseEvent, Event } from '../../stream/events.ts';
import { type Fields, fieldsOf, textOf } from '../../stream/fields.ts';
import { createFramer } from '../../stream/frame.ts';
import { Contradiction } from '../contradiction.ts';
import { eventsOf } from './events.ts';

/** What a hook is answered: its output, or that it failed. */
export type HookAnswer = object | 'error';

/** Hooks that are registered as ctxb registers them, and how each is answered. */
export type Hooks = Readonly<Partial<Record<HookName, (input: Fields) => HookAnswer>>>;

export interface HookCall {
  readonly hook: HookName;
  readonly input: Fields;
}

/** A claude that is spoken to. What it says is understood by the same decoder as in a run. */
export interface Conversation {
  /** All that it has said so far. */
  readonly events: readonly Event[];
  /** Hooks that it has called so far. */
  readonly calls: readonly HookCall[];
  /** The answer to `initialize`. */
  readonly opened: Promise<ControlResponseEvent>;
  /** Sends a prompt. */
  say(text: string, uuid?: string): void;
  /** Sends a prompt. Resolves with all that comes up to the next result. */
  turn(text: string, uuid?: string): Promise<readonly Event[]>;
  /**
   * Resolves with what comes up to the first event that fits, and begins behind it the next time.
   *
   * @param what it is, for the one who reads that it never came
   */
  until(what: string, fits: (event: Event) => boolean): Promise<readonly Event[]>;
  /** Asks over the control channel. Resolves with the answer. */
  ask(request: Fields): Promise<ControlResponseEvent>;
  endInput(): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it has ended. */
  ended(): Promise<ChildEnd>;
}

/**
 * Opens the control channel as ctxb does: `initialize` first, with the hooks.
 *
 * @param patience aborted when nothing more is waited for
 */
export function converse(child: Child, hooks: Hooks, patience: AbortSignal): Conversation {
  const events: Event[] = [];
  const calls: HookCall[] = [];
  const waiting = new Set<() => void>();
  let end: ChildEnd | undefined;
  let at = 0;
  let asked = 0;

  const framer = createFramer();
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => framer.push(chunk).forEach(hear));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk}`.slice(-2_000);
  });
  void Promise.all([child.ended, once(child.stdout, 'end')]).then(([how]) => {
    end = how;
    wake();
  });
  patience.addEventListener('abort', wake);

  function wake(): void {
    for (const look of [...waiting]) look();
    waiting.clear();
  }

  function hear(line: Buffer): void {
    const event = decodeLine(line.toString());
    events.push(event);
    if (event.kind === 'control-request') answer(event);
    wake();
  }

  function answer({ requestId, callbackId, request }: ControlRequestEvent): void {
    const [hook] = Object.entries(CALLBACKS).find(([, id]) => id === callbackId) ?? [];
    const reply = hook === undefined ? undefined : hooks[hook as HookName];
    const input = fieldsOf(request.input);
    if (reply !== undefined) calls.push({ hook: hook as HookName, input });
    const output = reply?.(input) ?? 'error';
    const response =
      output === 'error'
        ? { subtype: 'error', request_id: requestId, error: 'refused on purpose' }
        : { subtype: 'success', request_id: requestId, response: output };
    send({ type: 'control_response', response });
  }

  function send(line: Fields): void {
    if (child.stdin.writable) child.stdin.write(`${JSON.stringify(line)}\n`);
  }

  /** Looks again after each line, until it finds something. */
  async function wait<T>(what: string, look: () => T | undefined): Promise<T> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (patience.aborted) throw new Contradiction(`${what}: waited for in vain`);
      if (end !== undefined) throw new Contradiction(`${what}: claude ended before (${endText(end)}) ${stderr.trim()}`);
      await new Promise<void>((resolve) => waiting.add(resolve));
    }
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
  const conversation: Conversation = {
    events,
    calls,
    opened,
    ask,
    say: (text, uuid) =>
      send({
        type: 'user',
        message: { role: 'user', content: text },
        parent_tool_use_id: null,
        session_id: '',
        ...(uuid === undefined ? {} : { uuid }),
      }),
    turn(text, uuid) {
      conversation.say(text, uuid);
      return conversation.until(`the result of "${text}"`, ({ kind }) => kind === 'result');
    },
    until: (what, fits) =>
      wait(what, () => {
        const index = events.findIndex((event, place) => place >= at && fits(event));
        if (index === -1) return undefined;
        const heard = events.slice(at, index + 1);
        at = index + 1;
        return heard;
      }),
    endInput: () => void child.stdin.end(),
    kill: child.kill,
    ended: () => wait('its end', () => end),
  };
  return conversation;
}

function registered(hooks: Hooks): Fields {
  const names = Object.keys(hooks) as HookName[];
  return Object.fromEntries(
    names.map((name) => [name, [{ matcher: MATCHERS[name] ?? null, hookCallbackIds: [CALLBACKS[name]] }]]),
  );
}

function endText({ code, signal }: ChildEnd): string {
  return signal === undefined ? `exit code ${code}` : signal;
}

import {
  type Action,
  type Decision,
  type Effect,
  type HookAnswer,
  type HookName,
  isDecision,
  type TimerName,
} from '../governor/actions.ts';
import type { Input } from '../governor/input.ts';
import type { Answered } from '../memory/hand-back/hand-back.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { Child } from './child.ts';
import type { PassOn } from './pass-on.ts';
import { answerHook } from './watchdog.ts';

type TimerEvent = Extract<Input, { readonly from: 'timer' }>['event'];

export interface ExecutorWorld {
  readonly child: Child;
  readonly passOn: PassOn;
  readonly store: SessionStore;
  readonly feed: (event: TimerEvent) => void;
  /** Told of every decision, for notices. */
  readonly onDecision: (decision: Decision) => void;
  /** A prompt goes to claude. */
  readonly onPrompt: () => void;
  readonly onFault: (message: string) => void;
  /** Completes what a hook is answered, from the notes. */
  readonly answer: (hook: HookAnswer) => Answered;
  /** The context will be replaced: what is noted must be on disk before. */
  readonly beforeCompaction: () => void;
  /** Work to be done before a hook is answered. */
  readonly beforeHook: (hook: HookName) => void | Promise<void>;
  readonly hookTimeoutMs: number;
}

/** Carries out what the governor decided. Everything it does is named by an action. */
export interface Executor {
  execute(action: Action): void;
  /** Calls back when claude's stdin takes more, at once when it does now. */
  whenWritable(resume: () => void): void;
  dispose(): void;
}

export function createExecutor(world: ExecutorWorld): Executor {
  const { child, store } = world;
  const timers = new Map<TimerName, NodeJS.Timeout>();
  // claude may go away at any time; what is written then is of no use to anyone, and its exit is told by its end.
  child.stdin.on('error', () => {});

  function send(line: string, exact = false): void {
    if (child.stdin.writable) child.stdin.write(exact || line.endsWith('\n') ? line : `${line}\n`);
  }

  function clearTimer(timer: TimerName): void {
    clearTimeout(timers.get(timer));
    timers.delete(timer);
  }

  const carryOut: { readonly [K in Effect['kind']]: (effect: Extract<Effect, { readonly kind: K }>) => void } = {
    send({ line, promptUuid, exact }) {
      if (promptUuid !== undefined) world.onPrompt();
      send(line, exact);
      if (promptUuid !== undefined) store.mailbox({ delivered: promptUuid });
    },
    hold: ({ uuid, line }) => store.mailbox({ held: uuid, line }),
    keep: ({ file, text }) => store.keep(file, text),
    'answer-hook': (effect) => {
      const { requestId, hook } = effect;
      if (hook === 'PreCompact') world.beforeCompaction();
      const { output, decisions } = world.answer(effect);
      for (const decision of decisions) execute(decision);
      void answerHook({
        requestId,
        output,
        work: () => world.beforeHook(hook),
        timeoutMs: world.hookTimeoutMs,
        reply: (line) => send(line),
        onFault: (message) => world.onFault(`hook ${hook}: ${message}; claude goes on without it`),
      });
    },
    'end-input': () => child.stdin.end(),
    'set-timer': ({ timer, afterMs }) => {
      clearTimer(timer);
      timers.set(
        timer,
        setTimeout(() => world.feed({ kind: 'timeout', timer }), afterMs),
      );
    },
    'clear-timer': ({ timer }) => clearTimer(timer),
    withheld: ({ fate }) => world.passOn.settleWithheld(fate),
  };

  function execute(action: Action): void {
    if (isDecision(action)) {
      if (action.kind === 'compact') world.beforeCompaction();
      store.journal(action);
      world.onDecision(action);
    } else {
      // The table holds a function for each kind, which the compiler cannot follow through the union.
      (carryOut[action.kind] as (effect: Effect) => void)(action);
    }
  }

  return {
    execute,
    whenWritable(resume) {
      if (child.stdin.writableNeedDrain) child.stdin.once('drain', resume);
      else resume();
    },
    dispose() {
      for (const timer of timers.keys()) clearTimer(timer);
    },
  };
}

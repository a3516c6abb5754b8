import { type Action, type Decision, type HookName, isDecision, type TimerName } from '../governor/actions.ts';
import type { Input } from '../governor/input.ts';
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
  /** Work to be done before a hook is answered, such as flushing notes. */
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

  function send(line: string): void {
    if (child.stdin.writable) child.stdin.write(`${line}\n`);
  }

  function clearTimer(timer: TimerName): void {
    clearTimeout(timers.get(timer));
    timers.delete(timer);
  }

  function execute(action: Action): void {
    if (isDecision(action)) {
      store.journal(action);
      world.onDecision(action);
      return;
    }
    switch (action.kind) {
      case 'send':
        if (action.promptUuid !== undefined) world.onPrompt();
        send(action.line);
        if (action.promptUuid !== undefined) store.mailbox({ delivered: action.promptUuid });
        return;
      case 'hold':
        return store.mailbox({ held: action.uuid, line: action.line });
      case 'keep':
        return store.keep(action.file, action.text);
      case 'answer-hook':
        void answerHook({
          requestId: action.requestId,
          output: action.output,
          work: () => world.beforeHook(action.hook),
          timeoutMs: world.hookTimeoutMs,
          reply: send,
          onFault: (message) => world.onFault(`hook ${action.hook}: ${message}; claude goes on without it`),
        });
        return;
      case 'end-input':
        child.stdin.end();
        return;
      case 'set-timer':
        clearTimer(action.timer);
        timers.set(
          action.timer,
          setTimeout(() => world.feed({ kind: 'timeout', timer: action.timer }), action.afterMs),
        );
        return;
      case 'clear-timer':
        return clearTimer(action.timer);
      case 'withheld':
        return world.passOn.settleWithheld(action.fate);
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

import type { Child } from '../claude/child.ts';
import { type Action, type Decision, isDecision, withoutFocus } from '../core/governor/decisions.ts';
import type { Effect, EffectOf, HookAnswer, HookName, TimerName } from '../core/governor/effects.ts';
import type { Input } from '../core/governor/input.ts';
import type { HookReply } from '../core/memory/hand-back/hand-back.ts';
import { messageOf } from '../errors.ts';
import type { SessionStore } from '../store/runs/session-store.ts';
import { promptChanges } from './kept-prompts.ts';
import type { CallerOutput } from './output/output.ts';
import type { PassOn } from './output/pass-on.ts';

type TimerEvent = Extract<Input, { readonly from: 'timer' }>['event'];

export interface ExecutorDependencies {
  readonly child: () => Child;
  readonly passOn: PassOn;
  readonly output: Pick<CallerOutput, 'promptSent' | 'whenGiven' | 'isBlocked'>;
  readonly store: SessionStore;
  readonly feed: (event: TimerEvent) => void;
  readonly onDecision: (decision: Decision) => void;
  readonly onFault: (message: string) => void;
  readonly answer: (hook: HookAnswer) => HookReply;
  /**
   * Writes the notes. Called before the context is replaced or a fresh one begins, because the notes must be on disk by
   * then.
   */
  readonly flushNotes: () => void;
  readonly beforeHook?: ((hook: HookName) => void) | undefined;
  readonly hookFailed: (requestId: string) => void;
  readonly others: Handlers<CarriedOutByOthers>;
}

export type StartClaude = EffectOf<'start-claude'>;

type Handlers<K extends Effect['kind']> = { readonly [Kind in K]: (effect: EffectOf<Kind>) => void };

type CarriedOutByOthers =
  | (
      | 'answer-asker'
      | 'ask-person'
      | 'measure-file'
      | 'relay'
      | 'reply'
      | 'start-claude'
      | 'store-result'
      | 'write-handoff'
    )
  | ('arm-exact' | 'plan-exact' | 'prove-exact');

const MIN_PAUSE_MS = 100;

export function createExecutor(dependencies: ExecutorDependencies) {
  const { store, output } = dependencies;
  const timers = new Map<TimerName, NodeJS.Timeout>();

  function send(line: string, exact = false): void {
    const { stdin } = dependencies.child();
    if (stdin.writable) stdin.write(exact || line.endsWith('\n') ? line : `${line}\n`);
  }

  function clearTimer(timer: TimerName): void {
    clearTimeout(timers.get(timer));
    timers.delete(timer);
  }

  /**
   * Sets a timer. While the caller does not read, ctxb does not read claude, so silence means nothing and the timer
   * starts again.
   */
  function setTimer(timer: TimerName, afterMs: number): void {
    clearTimer(timer);
    const end = () => {
      if (output.isBlocked) setTimer(timer, Math.max(afterMs, MIN_PAUSE_MS));
      else dependencies.feed({ kind: 'timeout', timer });
    };
    timers.set(timer, setTimeout(end, afterMs));
  }

  /**
   * Answers a hook of claude's. Without an answer, claude would hang the turn or lose the prompt. After an `error`, it
   * continues as if the hook did not exist.
   */
  function answerHook(effect: HookAnswer): void {
    const { requestId, hook, recall } = effect;
    const respond = (answer: object) =>
      send(JSON.stringify({ type: 'control_response', response: { ...answer, request_id: requestId } }));
    try {
      // With the mod, claude calls no PreCompact hook.
      if (hook === 'PreCompact' || recall) dependencies.flushNotes();
      dependencies.beforeHook?.(hook);
      const { output, decisions } = dependencies.answer(effect);
      respond({ subtype: 'success', response: output });
      for (const decision of decisions) execute(decision);
    } catch (error) {
      const message = messageOf(error);
      respond({ subtype: 'error', error: `ctxb: ${message}` });
      dependencies.onFault(`hook ${hook}: ${message}; claude continues without it`);
      dependencies.hookFailed(requestId);
    }
  }

  const carryOut: Handlers<Effect['kind']> = {
    ...dependencies.others,
    send(effect) {
      const { line, promptUuid, exact } = effect;
      if (promptUuid === undefined) return send(line, exact);
      // On disk before it is sent: after a crash, claude's log shows whether the prompt arrived.
      store.run({ prompts: promptChanges(effect) });
      output.promptSent();
      send(line, exact);
      store.mailbox({ delivered: promptUuid });
    },
    hold(effect) {
      const { uuid, line } = effect;
      store.run({ prompts: promptChanges(effect) });
      store.mailbox({ held: uuid, line });
    },
    keep: ({ file, texts }) => store.keep(file, texts),
    'answer-hook': answerHook,
    // claude takes a while to exit, so the notes are written meanwhile.
    'end-input': () => dependencies.child().stdin.end(() => dependencies.flushNotes()),
    'set-timer': ({ timer, afterMs }) => setTimer(timer, afterMs),
    'clear-timer': ({ timer }) => clearTimer(timer),
    buffered: ({ fate }) => dependencies.passOn.settle('buffered', fate),
    deferred: ({ fate }) => dependencies.passOn.settle('deferred', fate),
    health: ({ record }) => store.health(record),
    answered: (effect) => output.whenGiven(() => store.run({ prompts: promptChanges(effect) })),
    kill: ({ signal }) => dependencies.child().kill(signal ?? 'SIGKILL'),
  };

  function noteForResuming(decision: Decision): void {
    if (decision.kind === 'handed-over') store.run({ handedOver: decision.path });
    if ('until' in decision) store.run({ resetsAt: decision.until });
    if ('resetsAt' in decision) store.run({ resetsAt: decision.resetsAt });
  }

  function execute(action: Action): void {
    if (isDecision(action)) {
      if (action.kind === 'compact' || action.kind === 'handoff') dependencies.flushNotes();
      store.journal(withoutFocus(action));
      noteForResuming(action);
      dependencies.onDecision(action);
    } else {
      // The table has a function for each kind; the type checker cannot infer that across the union.
      (carryOut[action.kind] as (effect: Effect) => void)(action);
    }
  }

  return {
    execute,
    whenWritable(resume: () => void): void {
      const { stdin } = dependencies.child();
      // A stream without a reader never emits 'drain'.
      if (!stdin.writable || !stdin.writableNeedDrain) {
        resume();
        return;
      }
      const first = () => {
        stdin.off('drain', first).off('close', first);
        resume();
      };
      stdin.on('drain', first).on('close', first);
    },
    dispose(): void {
      for (const timer of timers.keys()) clearTimer(timer);
    },
  };
}

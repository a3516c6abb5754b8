import { setTimeout as delay } from 'node:timers/promises';
import type { Child, ChildEnd } from '../claude/child.ts';
import type { LoggedState } from '../claude/claude-log.ts';
import type { OwnEvent } from '../core/governor/input.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { messageOf } from '../errors.ts';
import type { StartClaude } from './executor.ts';
import type { PassOn } from './output/pass-on.ts';

export interface SupervisorDependencies {
  readonly child: Child;
  /** Starts a process in place of an ended one, and resumes its session, if any. */
  readonly startNext: (start: StartClaude, state: GovernorState) => Promise<Child>;
  readonly readLog: (state: GovernorState) => LoggedState;
  /** Reports the failure of one attempt, which does not end the run. */
  readonly onFault: (message: string) => void;
}

interface Listener {
  readonly passOn: PassOn;
  readonly state: () => GovernorState;
  readonly tell: (event: OwnEvent) => void;
}

export type Supervisor = ReturnType<typeof supervise>;

const UNREADABLE: LoggedState = { logged: true, delivered: [], finished: false, openTool: undefined };

export function supervise(dependencies: SupervisorDependencies, { passOn, state, tell }: Listener) {
  let { child } = dependencies;
  let nextStart: StartClaude | undefined;
  let isStopped = false;
  const wake = new AbortController();

  /** An unreadable log must not keep the run from ending. */
  function loggedState(): LoggedState {
    try {
      return dependencies.readLog(state());
    } catch (error) {
      dependencies.onFault(messageOf(error));
      return UNREADABLE;
    }
  }

  async function untilEnd(): Promise<ChildEnd> {
    await passOn.read(child.stdout);
    const end = await child.ended;
    // The process ignored SIGTERM and was killed. It still ended on purpose.
    const signal = isStopped && end.signal === 'SIGKILL' ? 'SIGTERM' : end.signal;
    // Only a failed or hung process is replaced, and only its successor needs the log.
    const isDone = end.code === 0 && !state().process.isHung;
    tell({ kind: 'exit', ...end, signal, ...(isDone ? UNREADABLE : loggedState()) });
    return end;
  }

  /**
   * Starts the next process. A failed start counts as a crash, and a start that a signal prevented as ended by the
   * signal.
   */
  async function next(): Promise<Child | undefined> {
    const start = nextStart;
    nextStart = undefined;
    if (start === undefined) return undefined;
    // The end of the run ends this wait.
    if (start.afterMs > 0) await delay(start.afterMs, undefined, { signal: wake.signal }).catch(() => {});
    if (state().mailbox.input !== 'open') return undefined;
    if (isStopped) {
      tell({ kind: 'exit', code: undefined, signal: 'SIGTERM', ...UNREADABLE });
      return undefined;
    }
    try {
      return await dependencies.startNext(start, state());
    } catch (error) {
      dependencies.onFault(messageOf(error));
      tell({ kind: 'exit', code: 127, signal: undefined, ...loggedState() });
      return next();
    }
  }

  return {
    child: () => child,
    startNext(effect: StartClaude): void {
      nextStart = effect;
    },
    kill(signal: NodeJS.Signals): void {
      isStopped = true;
      wake.abort();
      child.kill(signal);
    },
    async ended(): Promise<ChildEnd> {
      for (;;) {
        const end = await untilEnd();
        const successor = await next();
        if (successor === undefined) return end;
        child = successor;
        // The signal arrived during the start.
        if (isStopped) child.kill('SIGTERM');
        tell({ kind: 'begin' });
      }
    },
  };
}

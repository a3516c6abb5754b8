import type { Flow, FlowStep } from '../flow.ts';
import type { StepEnd } from './run-step.ts';

export interface FlowWorld {
  /** Returns a function that makes an attempt of the step. */
  readonly attempts: (step: FlowStep) => () => Promise<StepEnd>;
  /** Called when a step starts, ends an attempt, or is skipped. @param ends of the attempts so far */
  readonly onStep: (step: FlowStep, news: StepNews, ends: readonly StepEnd[]) => void;
  /** Once aborted, no more steps start. The caller ends the running step. */
  readonly stop: AbortSignal;
}

export type StepNews =
  | { readonly kind: 'started'; readonly attempt: number }
  | { readonly kind: 'retry'; readonly end: StepEnd }
  | { readonly kind: 'done' | 'failed' | 'stopped'; readonly end: StepEnd }
  | { readonly kind: 'skipped' };

/** `stopped`: running when the flow was stopped; `skipped`: not started, because of that or of a failed step. */
export type StepStatus = 'done' | 'failed' | 'stopped' | 'skipped';

export type Board = ReadonlyMap<string, StepStatus>;

/**
 * Runs the steps that an earlier run has not `done`, one after the other. Resolves when no further step can start.
 * Rejects with the error of an attempt that throws, for instance because claude is missing.
 */
export async function runFlow({ steps }: Flow, done: ReadonlySet<string>, world: FlowWorld): Promise<Board> {
  const board = new Map<string, StepStatus>();
  let isBlocked = false;
  for (const step of steps) {
    if (done.has(step.id)) board.set(step.id, 'done');
    else if (isBlocked || world.stop.aborted) {
      board.set(step.id, 'skipped');
      world.onStep(step, { kind: 'skipped' }, []);
    } else {
      const status = await runAttempts(step, world);
      board.set(step.id, status);
      isBlocked = status === 'failed' && step.onFail === 'stop';
    }
  }
  return board;
}

/** Exit code for a usage limit of the account, which another attempt would also hit. */
const EXIT_USAGE_LIMIT = 5;

async function runAttempts(step: FlowStep, { attempts, onStep, stop }: FlowWorld): Promise<StepStatus> {
  const attempt = attempts(step);
  for (const ends: StepEnd[] = []; ; ) {
    onStep(step, { kind: 'started', attempt: ends.length + 1 }, ends);
    const end = await attempt();
    ends.push(end);
    const isLast = ends.length > step.retries || end.exitCode === EXIT_USAGE_LIMIT;
    const kind = end.exitCode === 0 ? 'done' : stop.aborted ? 'stopped' : isLast ? 'failed' : 'retry';
    onStep(step, { kind, end }, ends);
    if (kind !== 'retry') return kind;
  }
}

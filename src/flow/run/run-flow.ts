import type { Flow, FlowStep } from '../flow.ts';
import type { StepEnd } from './run-step.ts';

export interface FlowWorld {
  readonly attempt: (step: FlowStep, attempt: number) => Promise<StepEnd>;
  /** Called when a step starts, ends an attempt, or is skipped. */
  readonly onStep: (step: FlowStep, news: StepNews) => void;
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
      world.onStep(step, { kind: 'skipped' });
    } else {
      const end = await runAttempts(step, world);
      const kind = kindOf(end, world.stop);
      board.set(step.id, kind);
      world.onStep(step, { kind, end });
      isBlocked = kind === 'failed' && step.onFail === 'stop';
    }
  }
  return board;
}

function kindOf({ exitCode }: StepEnd, { aborted }: AbortSignal): 'done' | 'failed' | 'stopped' {
  if (exitCode === 0) return 'done';
  return aborted ? 'stopped' : 'failed';
}

/** Exit code for a usage limit of the account, which another attempt would also hit. */
const EXIT_USAGE_LIMIT = 5;

async function runAttempts(step: FlowStep, { attempt, onStep, stop }: FlowWorld): Promise<StepEnd> {
  for (let count = 1; ; count++) {
    onStep(step, { kind: 'started', attempt: count });
    const end = await attempt(step, count);
    const isLast = count > step.retries || end.exitCode === EXIT_USAGE_LIMIT;
    if (end.exitCode === 0 || isLast || stop.aborted) return end;
    onStep(step, { kind: 'retry', end });
  }
}

import type { Flow, FlowStep } from '../flow.ts';
import type { StepEnd } from './run-step.ts';

export interface FlowWorld {
  readonly run: (step: FlowStep) => Promise<StepEnd>;
  /** Called when a step starts, ends, or is skipped. */
  readonly onStep: (step: FlowStep, news: StepNews) => void;
  /** Once aborted, no more steps start. The caller ends the running step. */
  readonly stop: AbortSignal;
}

export type StepNews =
  | { readonly kind: 'started' | 'skipped' }
  | { readonly kind: 'done' | 'failed' | 'stopped'; readonly end: StepEnd };

/** `stopped`: running when the flow was stopped; `skipped`: not started, because of that or of a failed step. */
export type StepStatus = 'done' | 'failed' | 'stopped' | 'skipped';

export type Board = ReadonlyMap<string, StepStatus>;

/**
 * Runs the steps that an earlier run has not `done`, one after the other. Resolves when no further step can start.
 * Rejects with the error of a step that throws, for instance because claude is missing.
 */
export async function runFlow(
  { steps }: Flow,
  done: ReadonlySet<string>,
  { run, onStep, stop }: FlowWorld,
): Promise<Board> {
  const board = new Map<string, StepStatus>();
  let isBlocked = false;
  for (const step of steps) {
    if (done.has(step.id)) board.set(step.id, 'done');
    else if (isBlocked || stop.aborted) {
      board.set(step.id, 'skipped');
      onStep(step, { kind: 'skipped' });
    } else {
      onStep(step, { kind: 'started' });
      const end = await run(step);
      const kind = end.exitCode === 0 ? 'done' : stop.aborted ? 'stopped' : 'failed';
      onStep(step, { kind, end });
      board.set(step.id, kind);
      isBlocked = kind === 'failed' && step.onFail === 'stop';
    }
  }
  return board;
}

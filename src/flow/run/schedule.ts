import type { Flow, FlowStep } from '../flow.ts';

/** How far a step has come. `skipped`: the flow was stopped before it. */
export type StepStatus = 'waiting' | 'running' | 'done' | 'failed' | 'skipped';

export type Board = Readonly<Record<string, StepStatus>>;

/** The board before anything has run; `done` are ids of steps that an earlier run has finished. */
export function newBoard({ steps }: Flow, done: ReadonlySet<string> = new Set()): Board {
  return Object.fromEntries(steps.map(({ id }) => [id, done.has(id) ? 'done' : 'waiting']));
}

/** Steps that may start now, in the order of the file, so that at most `parallel` run at once. */
export function startable(flow: Flow, board: Board, parallel: number): readonly FlowStep[] {
  const running = Object.values(board).filter((status) => status === 'running').length;
  const ready = isStopped(flow, board) ? [] : flow.steps.filter((step) => isReady(flow, board, step));
  return ready.slice(0, Math.max(0, parallel - running));
}

/** What a step waits for: what it says that it needs, else the step before it in the file. */
export function needsOf({ steps }: Flow, step: FlowStep): readonly string[] {
  if (step.needs !== undefined) return step.needs;
  const before = steps[steps.indexOf(step) - 1];
  return before === undefined ? [] : [before.id];
}

/** A failed step of a flow that was not stopped is one that the others go on without. */
function isReady(flow: Flow, board: Board, step: FlowStep): boolean {
  return (
    board[step.id] === 'waiting' && needsOf(flow, step).every((id) => board[id] === 'done' || board[id] === 'failed')
  );
}

/** A step has failed that the flow is not to go on without. */
export function isStopped({ steps }: Flow, board: Board): boolean {
  return steps.some(({ id, onFail }) => board[id] === 'failed' && onFail === 'stop');
}

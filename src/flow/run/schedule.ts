import type { StepGraph } from '../file/step-graph.ts';
import type { Flow, FlowStep } from '../flow.ts';

/** How far a step has come. `skipped`: the flow was stopped before it. */
export type StepStatus = 'waiting' | 'running' | 'done' | 'failed' | 'skipped';

export type Board = Readonly<Record<string, StepStatus>>;

/** The board before anything has run; `done` are ids of steps that an earlier run has finished. */
export function newBoard({ steps }: Flow, done: ReadonlySet<string> = new Set()): Board {
  return Object.fromEntries(steps.map(({ id }) => [id, done.has(id) ? 'done' : 'waiting']));
}

/**
 * Steps that may start now, in the order of the file, so that at most `parallel` run at once.
 *
 * @param needs by a step's id: steps that must be over before it
 */
export function startable(flow: Flow, needs: StepGraph, board: Board, parallel: number): readonly FlowStep[] {
  const running = Object.values(board).filter((status) => status === 'running').length;
  // A failed step of a flow that was not stopped is one that the others go on without.
  const isOver = (id: string) => board[id] === 'done' || board[id] === 'failed';
  const isReady = ({ id }: FlowStep) => board[id] === 'waiting' && (needs.get(id) ?? []).every(isOver);
  const ready = isStopped(flow, board) ? [] : flow.steps.filter(isReady);
  return ready.slice(0, Math.max(0, parallel - running));
}

/** A step has failed that the flow is not to go on without. */
function isStopped({ steps }: Flow, board: Board): boolean {
  return steps.some(({ id, onFail }) => board[id] === 'failed' && onFail === 'stop');
}

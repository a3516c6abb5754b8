import type { StepGraph } from '../file/step-graph.ts';
import type { Flow, FlowStep } from '../flow.ts';

/**
 * How far a step has come. `left-out`: this run was not asked for it; `stopped`: it was under way when the flow was
 * stopped; `skipped`: it had not begun then, or a step before it has failed.
 */
export type StepStatus = 'waiting' | 'running' | 'done' | 'failed' | 'left-out' | 'stopped' | 'skipped';

export type Board = Readonly<Record<string, StepStatus>>;

/** Steps that a run does not run. */
export interface Settled {
  /** An earlier run has finished them. */
  readonly done: ReadonlySet<string>;
  /** Nobody asked for them. The others do not wait for them. */
  readonly leftOut: ReadonlySet<string>;
}

export const NOTHING_SETTLED: Settled = { done: new Set(), leftOut: new Set() };

/** The board before anything has run. */
export function newBoard({ steps }: Flow, { done, leftOut }: Settled = NOTHING_SETTLED): Board {
  const statusOf = (id: string): StepStatus => (done.has(id) ? 'done' : leftOut.has(id) ? 'left-out' : 'waiting');
  return Object.fromEntries(steps.map(({ id }) => [id, statusOf(id)]));
}

// A failed step of a flow that was not stopped is one that the others go on without.
const OVER: ReadonlySet<StepStatus | undefined> = new Set<StepStatus>(['done', 'failed', 'left-out']);

/**
 * Steps that may start now, in the order of the file, so that at most `parallel` run at once.
 *
 * @param needs by a step's id: steps that must be over before it
 */
export function startable(flow: Flow, needs: StepGraph, board: Board, parallel: number): readonly FlowStep[] {
  const running = Object.values(board).filter((status) => status === 'running').length;
  const isReady = ({ id }: FlowStep) =>
    board[id] === 'waiting' && (needs.get(id) ?? []).every((needed) => OVER.has(board[needed]));
  const ready = isStopped(flow, board) ? [] : flow.steps.filter(isReady);
  return ready.slice(0, Math.max(0, parallel - running));
}

/** A step has failed that the flow is not to go on without. */
function isStopped({ steps }: Flow, board: Board): boolean {
  return steps.some(({ id, onFail }) => board[id] === 'failed' && onFail === 'stop');
}

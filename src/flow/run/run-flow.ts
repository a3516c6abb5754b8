import { CtxbError } from '../../errors.ts';
import { orderSteps, type StepGraph } from '../file/order-steps.ts';
import type { Flow, FlowStep } from '../flow.ts';
import type { StepEnd } from './run-step.ts';

export interface FlowWorld {
  readonly attempt: (step: FlowStep, attempt: number) => Promise<StepEnd>;
  /** Called when a step starts, ends an attempt, or is skipped. */
  readonly onStep: (step: FlowStep, news: StepNews) => void;
  /** Once aborted, no more steps start. The caller ends running steps. */
  readonly stop: AbortSignal;
}

export type StepNews =
  | { readonly kind: 'started'; readonly attempt: number }
  | { readonly kind: 'retry'; readonly end: StepEnd }
  | { readonly kind: 'done' | 'failed' | 'stopped'; readonly end: StepEnd }
  | { readonly kind: 'skipped' };

/**
 * Runs the unsettled steps in the order of their needs. Resolves when no further step can start.
 *
 * If an attempt throws (for instance because claude is missing), rejects with that error after the running steps have
 * ended.
 */
export async function runFlow(
  flow: Flow,
  { settled, parallel }: { readonly settled: Settled; readonly parallel: number },
  world: FlowWorld,
): Promise<Board> {
  const { history } = orderSteps(flow);
  let board = newBoard(flow, settled);
  const running = new Map<string, Promise<void>>();
  const faults: unknown[] = [];
  const set = (id: string, status: StepStatus) => {
    board = { ...board, [id]: status };
  };

  async function run(step: FlowStep): Promise<void> {
    try {
      const end = await runAttempts(step, world);
      const kind = kindOf(end, world.stop);
      set(step.id, kind);
      world.onStep(step, { kind, end });
    } catch (error) {
      faults.push(error);
    }
    running.delete(step.id);
  }

  for (;;) {
    const next = world.stop.aborted || faults.length > 0 ? [] : startable(flow, history, board, parallel);
    for (const step of next) {
      set(step.id, 'running');
      running.set(step.id, run(step));
    }
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  if (faults.length > 0) throw faults[0];
  for (const step of flow.steps.filter(({ id }) => board[id] === 'waiting')) {
    set(step.id, 'skipped');
    world.onStep(step, { kind: 'skipped' });
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

/**
 * `left-out`: not selected for this run; `stopped`: running when the flow was stopped; `skipped`: not started, because
 * the flow was stopped or an earlier step failed.
 */
export type StepStatus = 'waiting' | 'running' | 'done' | 'failed' | 'left-out' | 'stopped' | 'skipped';

export type Board = Readonly<Record<string, StepStatus>>;

export interface Settled {
  /** Finished by an earlier run. */
  readonly done: ReadonlySet<string>;
  /** Not selected; other steps do not wait for them. */
  readonly leftOut: ReadonlySet<string>;
}

export function newBoard({ steps }: Flow, { done, leftOut }: Settled): Board {
  const statusOf = (id: string): StepStatus => (done.has(id) ? 'done' : leftOut.has(id) ? 'left-out' : 'waiting');
  return Object.fromEntries(steps.map(({ id }) => [id, statusOf(id)]));
}

// Final states. A failed step with `onFail: continue` does not block the others.
const OVER: ReadonlySet<StepStatus | undefined> = new Set<StepStatus>(['done', 'failed', 'left-out']);

/**
 * The steps that may start now, in file order, so that at most `parallel` steps run.
 *
 * @param history by step id: the steps that it sees, which must end first. In a resumed run, an unfinished step can
 * precede finished ones
 */
export function startable(flow: Flow, history: StepGraph, board: Board, parallel: number): readonly FlowStep[] {
  const running = Object.values(board).filter((status) => status === 'running').length;
  const isReady = ({ id }: FlowStep) =>
    board[id] === 'waiting' && (history.get(id) ?? []).every((seen) => OVER.has(board[seen]));
  const isStopped = flow.steps.some(({ id, onFail }) => board[id] === 'failed' && onFail === 'stop');
  const startableSteps = isStopped ? [] : flow.steps.filter(isReady);
  return startableSteps.slice(0, Math.max(0, parallel - running));
}

/**
 * Options that select steps: `resume` the steps that an earlier run has not finished, `from` a step on, or `only` some:
 * `a,b`.
 */
export type Choice = { readonly [O in 'resume' | 'from' | 'only']?: string | undefined };

/**
 * The steps that a selection excludes, split by whether an earlier run has finished them.
 *
 * @throws CtxbError `usage` for an unknown step, and for both `from` and `only`
 */
export function settledSteps(flow: Flow, { resume, from, only }: Choice, isDone: (id: string) => boolean): Settled {
  const ids = orderSteps(flow).sequence.map(({ id }) => id);
  const named = only?.split(',') ?? [];
  for (const [option, names] of Object.entries({ from: from === undefined ? [] : [from], only: named })) {
    const unknown = names.find((id) => !ids.includes(id));
    if (unknown === undefined) continue;
    throw new CtxbError('usage', `--${option} ${unknown}: no step of ${flow.name} has this id: ${ids.join(', ')}`);
  }
  if (from !== undefined && only !== undefined) {
    throw new CtxbError('usage', '--from and --only name different steps to run: leave one of them out');
  }
  if (from === undefined && only === undefined) {
    return { done: new Set(resume === undefined ? [] : ids.filter(isDone)), leftOut: new Set() };
  }
  const requested = only === undefined ? ids.slice(ids.indexOf(from ?? '')) : named;
  const others = ids.filter((id) => !requested.includes(id));
  return { done: new Set(others.filter(isDone)), leftOut: new Set(others.filter((id) => !isDone(id))) };
}

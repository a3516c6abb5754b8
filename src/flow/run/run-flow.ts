import { orderSteps } from '../file/order-steps.ts';
import type { Flow, FlowStep } from '../flow.ts';
import type { StepEnd } from './run-step.ts';
import { type Board, newBoard, type Settled, type StepStatus, startable } from './schedule.ts';

/** What a flow needs of the world to be run. */
export interface FlowWorld {
  /** Runs one attempt of a step to its end. */
  readonly attempt: (step: FlowStep, attempt: number) => Promise<StepEnd>;
  /** Told when a step starts, ends an attempt, or will not be run. */
  readonly onStep: (step: FlowStep, news: StepNews) => void;
  /** Aborted: nothing more is started. Whoever aborts it ends what runs. */
  readonly stop: AbortSignal;
}

export type StepNews =
  | { readonly kind: 'started'; readonly attempt: number }
  | { readonly kind: 'retry'; readonly end: StepEnd }
  | { readonly kind: 'done' | 'failed' | 'stopped'; readonly end: StepEnd }
  | { readonly kind: 'skipped' };

/**
 * Runs what is not settled yet, in the order of what steps need. Resolves when nothing is left that could start.
 *
 * What an attempt throws (there is no claude, say) it throws too, when the steps beside it are over.
 */
export async function runFlow(
  flow: Flow,
  { settled, parallel }: { readonly settled: Settled; readonly parallel: number },
  world: FlowWorld,
): Promise<Board> {
  const { needs } = orderSteps(flow);
  let board = newBoard(flow, settled);
  const running = new Map<string, Promise<void>>();
  const faults: unknown[] = [];
  const set = (id: string, status: StepStatus) => {
    board = { ...board, [id]: status };
  };

  async function run(step: FlowStep): Promise<void> {
    try {
      const end = await attempts(step, world);
      const kind = kindOf(end, world.stop);
      set(step.id, kind);
      world.onStep(step, { kind, end });
    } catch (error) {
      faults.push(error);
    }
    running.delete(step.id);
  }

  for (;;) {
    const next = world.stop.aborted || faults.length > 0 ? [] : startable(flow, needs, board, parallel);
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

async function attempts(step: FlowStep, { attempt, onStep, stop }: FlowWorld): Promise<StepEnd> {
  for (let count = 1; ; count++) {
    onStep(step, { kind: 'started', attempt: count });
    const end = await attempt(step, count);
    if (end.exitCode === 0 || count > step.retries || stop.aborted) return end;
    onStep(step, { kind: 'retry', end });
  }
}

import { CtxbError } from '../../errors.ts';
import { orderSteps } from '../file/order-steps.ts';
import type { Flow } from '../flow.ts';
import type { Settled } from './run-flow.ts';

/** Which steps of a flow a run was asked for. */
export interface Choice {
  /** An earlier run is gone on with: what that has finished is not run again. */
  readonly resume?: string | undefined;
  /** This step and all that come after it, in the order in which they run. */
  readonly from?: string | undefined;
  /** This step alone. */
  readonly only?: string | undefined;
}

/**
 * What is not run of a flow.
 *
 * @param isDone whether the run that is gone on with has finished a step
 * @throws CtxbError `usage` when the choice names no step, or two
 */
export function settledSteps(flow: Flow, { resume, from, only }: Choice, isDone: (id: string) => boolean): Settled {
  const ids = orderSteps(flow).sequence.map(({ id }) => id);
  for (const [option, id] of Object.entries({ from, only })) {
    if (id !== undefined && !ids.includes(id)) {
      throw new CtxbError('usage', `--${option} ${id}: no step of ${flow.name} has this id: ${ids.join(', ')}`);
    }
  }
  if (from !== undefined && only !== undefined) {
    throw new CtxbError('usage', '--from and --only name different steps to run: leave one of them out');
  }
  if (from === undefined && only === undefined) {
    return { done: new Set(resume === undefined ? [] : ids.filter(isDone)), leftOut: new Set() };
  }
  const asked = only === undefined ? ids.slice(ids.indexOf(from ?? '')) : [only];
  const others = ids.filter((id) => !asked.includes(id));
  return { done: new Set(others.filter(isDone)), leftOut: new Set(others.filter((id) => !isDone(id))) };
}

import type { Action } from './actions.ts';
import type { GovernorState } from './state.ts';

/** A new state and what is to be done about it. */
export interface Step {
  readonly state: GovernorState;
  readonly actions: readonly Action[];
}

const NOTHING: readonly Action[] = [];

export function keep(state: GovernorState, actions = NOTHING): Step {
  return { state, actions };
}

/** Steps one after the other; each sees the state the one before left. */
export function chain(first: Step, ...rest: readonly ((state: GovernorState) => Step)[]): Step {
  let { state, actions } = first;
  for (const next of rest) {
    const step = next(state);
    state = step.state;
    if (step.actions.length > 0) actions = [...actions, ...step.actions];
  }
  return { state, actions };
}

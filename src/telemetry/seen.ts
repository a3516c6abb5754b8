import type { Action } from '../governor/actions.ts';
import type { Input } from '../governor/input.ts';
import type { GovernorState } from '../governor/state.ts';

/** One step of a run. */
export interface Seen {
  readonly input: Input;
  readonly before: GovernorState;
  readonly after: GovernorState;
  readonly actions: readonly Action[];
}

import type { Decision } from './decisions.ts';
import type { Effect } from './effects.ts';

/** What follows from an input: decisions and effects. */
export type Action = Decision | Effect;

/** Whether an action is a decision to report; otherwise it is an effect to carry out. */
export function isDecision(action: Action): action is Decision {
  return 'gauge' in action;
}

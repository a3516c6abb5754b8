import type { Decision } from './decisions.ts';
import type { Effect } from './effects.ts';

/** What follows from an input: decisions and effects. */
export type Action = Decision | Effect;

const EFFECTS = new Set<Action['kind']>([
  'take-slot',
  'leave-slot',
  'arm-exact',
  'prove-exact',
  'plan-exact',
  'send',
  'answer-hook',
  'hold',
  'keep',
  'end-input',
  'set-timer',
  'clear-timer',
  'buffered',
  'deferred',
  'write-handoff',
  'start-claude',
  'kill',
  'health',
  'reply',
  'answered',
  'ask-person',
  'ask-next',
  'measure-file',
  'store-result',
]);

/** Whether an action is a decision to report; otherwise it is an effect to carry out. */
export function isDecision(action: Action): action is Decision {
  return !EFFECTS.has(action.kind);
}

import { decided, type GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';
import { withBudget } from './tool-state.ts';

const REASONS = {
  // Whoever answers claude's question about the tool can answer it with the input as it was.
  input: 'a limit that was set for a tool did not hold, so none are set any more',
  output: 'this claude does not take results that were cut, so none are cut any more',
} as const;

/** claude goes on as if nothing had been changed (1.0.128 does): it is said once, and the agent is only told. */
export function noteIgnored(state: GovernorState, what: 'input' | 'output'): Step {
  const { ignores } = state.toolBudget;
  if (ignores.includes(what)) return keep(state);
  const after = withBudget(state, { ignores: [...ignores, what] });
  return keep(after, [{ kind: 'tools-ignored', ...decided(after, REASONS[what]) }]);
}

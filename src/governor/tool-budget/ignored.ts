import { decided, type GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';
import { withBudget } from './tool-state.ts';

/**
 * claude goes on as if nothing had been changed (1.0.128 does), or whoever answers its questions about tools does. It is
 * said once, and what does not hold is only told the agent from there on.
 */
export function noteIgnored(state: GovernorState, what: 'input' | 'output'): Step {
  const { ignores } = state.toolBudget;
  // What is answered when claude's input is closed does not reach it.
  if (ignores.includes(what) || state.input === 'closed') return keep(state);
  const after = withBudget(state, { ignores: [...ignores, what] });
  const reason = `${what === 'input' ? 'a limit that was set for a tool' : 'a result that was cut'} did not hold`;
  return keep(after, ignores.length > 0 ? [] : [{ kind: 'tools-ignored', ...decided(after, reason) }]);
}

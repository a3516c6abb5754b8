import { endWithIt } from '../process/process.ts';
import { sendInterrupt } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { chain, changed, changedIn, decided, isRelieving, keep, type Step } from '../steps.ts';
import { stopWaiting } from '../waits/wait.ts';

/** The user, or `ctxb stop --now`, ends the turn; nothing more is said to claude. */
export function onInterrupt(before: GovernorState, reason = 'the user asked to stop'): Step {
  const state = stopWaiting(before);
  const interrupted = changed(state, { input: state.input === 'closed' ? 'closed' : 'interrupted' });
  const note = decided(state, 'interrupt', reason);
  const told = keep(interrupted, [note]);
  // Between two processes there is nothing to stop, and none takes the place of the last.
  if (state.process.phase === 'dead') return state.input === 'closed' ? told : chain(told, endWithIt);
  if (state.turn.phase === 'idle' && !isRelieving(state)) return told;
  if (state.turn.phase !== 'sent') return chain(told, sendInterrupt);
  // A claude without a session may still wait for its hooks, with the prompt behind them: it is not to begin.
  if (state.session.id === undefined) return keep(interrupted, [note, { kind: 'kill', signal: 'SIGTERM' }]);
  // Before its turn has begun claude would not heed it.
  return keep(changedIn(interrupted, 'mailbox', { stopNext: true }), [note]);
}

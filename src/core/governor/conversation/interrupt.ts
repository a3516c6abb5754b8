import { endWithIt } from '../process/process.ts';
import { sendInterrupt } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { chain, changed, decided, isRelieving, keep, type Step } from '../steps.ts';
import { stopWaiting } from '../waits/wait.ts';

/** The user, or `ctxb stop --now`, ends the turn; nothing more is said to claude. */
export function onInterrupt(before: GovernorState, reason = 'the user asked to stop'): Step {
  const state = stopWaiting(before);
  const interrupted = changed(state, { input: state.input === 'closed' ? 'closed' : 'interrupted' });
  const note = decided(state, 'interrupt', reason);
  // Between two processes there is nothing to stop, and none takes the place of the last.
  if (state.process.phase === 'dead' && state.input === 'closed') return keep(state, [note]);
  if (state.process.phase === 'dead') return chain(keep(interrupted, [note]), endWithIt);
  if (state.turn.phase === 'idle' && !isRelieving(state)) return keep(interrupted, [note]);
  // A claude without a session may still wait for its hooks, with the prompt behind them: it is not to begin.
  if (state.turn.phase === 'sent' && state.session.id === undefined)
    return keep(interrupted, [note, { kind: 'kill', signal: 'SIGTERM' }]);
  // Before its turn has begun claude would not heed it.
  if (state.turn.phase === 'sent') {
    return keep(changed(interrupted, { mailbox: { ...state.mailbox, stopNext: true } }), [note]);
  }
  return chain(keep(interrupted, [note]), sendInterrupt);
}

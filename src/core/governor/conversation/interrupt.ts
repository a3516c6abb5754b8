import { endWithIt } from '../process/process.ts';
import { sendInterrupt } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { chain, changedIn, decided, isRelieving, type Next, toStep } from '../steps.ts';
import { stopWaiting } from '../waits/wait.ts';

/** Ends the turn for the user or `ctxb stop --now`. ctxb then sends claude no further prompt. */
export function onInterrupt(before: GovernorState, reason = 'the user asked to stop'): Next {
  const state = stopWaiting(before);
  const interrupted = changedIn(state, 'mailbox', {
    input: state.mailbox.input === 'closed' ? 'closed' : 'interrupted',
  });
  const note = decided(state, 'interrupt', reason);
  const step = toStep(interrupted, [note]);
  // Between two processes no turn runs, and no new process starts.
  if (state.process.phase === 'dead') return state.mailbox.input === 'closed' ? step : chain(step, endWithIt);
  if (state.turn.phase === 'idle' && !isRelieving(state)) return step;
  if (state.turn.phase !== 'sent') return chain(step, sendInterrupt);
  // Without a session id claude may still wait for its hooks and hold the prompt, which must not begin.
  if (state.session.id === undefined) return toStep(interrupted, [note, { kind: 'kill', signal: 'SIGTERM' }]);
  // claude ignores an interrupt until the turn begins, so the turn is stopped then.
  return toStep(changedIn(interrupted, 'mailbox', { stopNext: true }), [note]);
}

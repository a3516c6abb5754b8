import { endWithIt } from '../process/process.ts';
import { sendInterrupt } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, decide, emit, isRelieving } from '../steps.ts';
import { stopWaiting } from '../waits/wait.ts';

/** Ends the turn for the user or `ctxb stop --now`. ctxb then sends claude no further prompt. */
export function onInterrupt(before: GovernorState, reason = 'the user asked to stop'): GovernorState {
  const state = stopWaiting(before);
  const interrupted = changedIn(state, 'mailbox', {
    input: state.mailbox.input === 'closed' ? 'closed' : 'interrupted',
  });
  const next = decide(interrupted, 'interrupt', reason);
  // Between two processes no turn runs, and no new process starts.
  if (state.process.phase === 'dead') return state.mailbox.input === 'closed' ? next : endWithIt(next);
  if (state.turn.phase === 'idle' && !isRelieving(state)) return next;
  if (state.turn.phase !== 'sent') return sendInterrupt(next);
  // Without a session id claude may still wait for its hooks and hold the prompt, which must not begin.
  if (state.session.id === undefined) return emit(next, { kind: 'kill', signal: 'SIGTERM' });
  // claude ignores an interrupt until the turn begins, so the turn is stopped then.
  return changedIn(next, 'mailbox', { stopNext: true });
}

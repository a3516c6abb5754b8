import { sendInterrupt } from '../control/control-request.ts';
import type { GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';

/**
 * The caller interrupts while his prompt waits for ctxb, of which he knows nothing. claude has no turn of his to stop
 * then, so the turn of that prompt is stopped when it comes.
 */
export function noteStop(state: GovernorState): GovernorState {
  const { turn, mailbox } = state;
  const isHeld = turn.phase === 'idle' && mailbox.waiting.length > 0;
  return isHeld ? { ...state, mailbox: { ...mailbox, stopNext: true } } : state;
}

/** Stops the turn that was to be stopped, once it has begun: before that claude would not heed it. */
export function stopBegunTurn(state: GovernorState): Step {
  const { turn, mailbox } = state;
  if (!mailbox.stopNext || turn.phase !== 'running' || turn.startedBy !== 'prompt') return keep(state);
  return sendInterrupt({ ...state, mailbox: { ...mailbox, stopNext: false } });
}

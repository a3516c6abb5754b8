import { decided, type GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';

/** From one session id of claude's to the next: the line of descent of the work. */
export interface LineageStep {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

/** Undefined while the id stays the same. */
export function lineageStep(
  before: GovernorState,
  { session, handoff, relief, process }: GovernorState,
): LineageStep | undefined {
  const from = before.session.id;
  const to = session.id;
  if (from === undefined || to === undefined || from === to) return undefined;
  if (handoff.phase !== 'idle' || relief.left === from) return { from, to, reason: 'handed over' };
  return { from, to, reason: process.resumes ? 'resumed' : 'a new conversation' };
}

/** A recording shows what happened, and nothing was done about it. */
export function noteLineage(before: GovernorState, state: GovernorState): Step {
  const next = state.run.mode === 'replay' ? undefined : lineageStep(before, state);
  return keep(state, next === undefined ? [] : [{ kind: 'lineage', ...decided(before, next.reason), ...next }]);
}

import { handoffLevel } from '../policy.ts';
import type { GovernorState } from '../state.ts';
import { chain, changedIn, decided, isRelieving, keep, type Step } from '../steps.ts';
import { exactIsPossible } from './exact.ts';
import { willCross } from './ladder.ts';
import { extentOf } from './outlook.ts';

/**
 * Reliefs that call the model share a few slots with those of the user's other runs. Where none is free the relief is put
 * off and the work goes on, to the level of the handoff or for as long as a compaction may take.
 */
export function withSlot(state: GovernorState, relieve: (state: GovernorState) => Step): Step {
  return needsNone(state) || isUrgent(state) ? withSlotAtOnce(state, relieve) : ask(state);
}

/** It counts among the others where there is a slot, and does not wait for one. */
export function withSlotAtOnce(state: GovernorState, relieve: (state: GovernorState) => Step): Step {
  return needsNone(state) ? relieve(state) : chain(ask(state), relieve);
}

function needsNone(state: GovernorState): boolean {
  return state.run.sharesSlots !== true || state.relief.slot?.phase === 'held' || exactIsPossible(state);
}

function ask(state: GovernorState): Step {
  const asking = changedIn(state, 'relief', { slot: { phase: 'asked', since: state.relief.slot?.since } });
  return keep(asking, [{ kind: 'take-slot' }]);
}

export function onSlot(state: GovernorState, granted: boolean): Step {
  const { slot } = state.relief;
  if (slot?.phase !== 'asked') return keep(state);
  if (granted) return keep(changedIn(state, 'relief', { slot: { phase: 'held' } }));
  if (isRelieving(state)) return keep(changedIn(state, 'relief', { slot: undefined }));
  const refused = changedIn(state, 'relief', {
    slot: { phase: 'refused', since: slot.since ?? state.now, at: state.now },
  });
  if (slot.since !== undefined) return keep(refused);
  return keep(refused, [{ kind: 'relief-waits', ...decided(state, 'others of your runs are being relieved') }]);
}

/** How long after a refusal a slot is not asked for again. */
const PAUSE_MS = 1_000;

/** The relief that is due has been refused a slot just now, and may wait. */
export function isPutOff(state: GovernorState): boolean {
  const { slot } = state.relief;
  if (slot?.phase !== 'refused' || exactIsPossible(state)) return false;
  return state.now - slot.at < PAUSE_MS && !isUrgent(state);
}

/** The relief is over, or is not due any more. */
export function leaveSlot(state: GovernorState): Step {
  if (state.relief.slot?.phase !== 'held' || isRelieving(state)) return keep(state);
  return keep(changedIn(state, 'relief', { slot: undefined }), [{ kind: 'leave-slot' }]);
}

function isUrgent(state: GovernorState): boolean {
  const { relief, run, now } = state;
  if (relief.exhausted?.open) return true;
  const extent = extentOf(state);
  const patienceMs = run.policy.compaction.timeoutSeconds * 1000;
  const isLate = now - (relief.slot?.since ?? now) >= patienceMs;
  return isLate || extent.full >= handoffLevel(run.policy, extent.window) || willCross(run.policy, extent);
}

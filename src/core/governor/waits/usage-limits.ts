import type { RateLimitEvent } from '../../protocol/events.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, type Line } from '../steps.ts';
import type { Waits } from './waits-state.ts';

/** Records the used shares of the account's limits, and the one that was hit. */
export function followLimits(state: GovernorState, { event }: Line<RateLimitEvent>): GovernorState {
  const used = { ...state.limits.used, ...event.limits };
  return changedIn(state, 'limits', { used, hit: event.rejected });
}

/** A limit's name for messages: `five-hour` for `five_hour`. */
export function limitName(name: string): string {
  return name.replaceAll('_', '-');
}

/** Reset of the limit that was hit, in milliseconds since the epoch; undefined if unknown. */
export function resetOf({ hit = '', used }: Waits): number | undefined {
  return used[hit]?.resetsAt;
}

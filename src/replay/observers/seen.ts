import type { Input } from '../../core/governor/input.ts';
import type { GovernorState } from '../../core/governor/state.ts';

/** A line of a recording, and what the judgement made of it. */
export interface Seen {
  /** Number of the line in the recording, from 1. */
  readonly line: number;
  readonly input: Input;
  readonly before: GovernorState;
  readonly after: GovernorState;
}

/** Watches a recording go by. */
export interface Observer<Found> {
  see(seen: Seen): void;
  /** What is known now. */
  found(): Found;
}

/** Milliseconds since the epoch; null where the recording carries no times. */
export function timeIn({ t }: Input): number | null {
  return t === 0 ? null : t;
}

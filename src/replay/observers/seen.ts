import type { Input } from '../../governor/input.ts';
import type { GovernorState } from '../../governor/state.ts';

/** A line of a recording, and what the judgement made of it. */
export interface Seen {
  /** Number of the line in the recording, from 1. */
  readonly line: number;
  readonly input: Input;
  readonly before: GovernorState;
  readonly after: GovernorState;
}

/** Watches a recording go by and keeps what it is for. */
export interface Observer<T> {
  see(seen: Seen): void;
  /** What is known now. */
  found(): T;
}

/** Milliseconds since the epoch; null where the recording carries no times. */
export function timeIn({ t }: Input): number | null {
  return t === 0 ? null : t;
}

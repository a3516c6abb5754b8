import type { ApiFailure } from '../../protocol/api-failure.ts';
import type { LimitUse } from '../../protocol/usage.ts';

/** A period without answers of the API. Times in milliseconds since the epoch. */
export type Wait = Readonly<typeof NO_WAIT>;

export const NO_WAIT = {
  cause: 'outage' as ApiFailure['cause'],
  /**
   * - `none`: the API answers.
   * - `claude`: claude retries by itself.
   * - `paused`: ctxb sends nothing before `until`.
   * - `trying`: ctxb repeats the turn.
   * - `over`: ctxb has given up.
   */
  phase: 'none' as 'none' | 'claude' | 'paused' | 'trying' | 'over',
  since: 0,
  until: 0,
  /** Turns that have ended without an answer. */
  tries: 0,
  said: false,
};

/** The reasons why claude waits for the API: outages, and the account's usage limits by claude's latest report. */
export type Waits = Readonly<typeof NO_WAITS>;

export const NO_WAITS = {
  /** Usage limits by claude's names: `five_hour`, `seven_day`. */
  used: {} as Readonly<Record<string, LimitUse>>,
  /** The limit that was reached. */
  hit: undefined as string | undefined,
  wait: NO_WAIT as Wait,
};

/** A limit's name for messages: `five-hour` for `five_hour`. */
export function limitName(name: string): string {
  return name.replaceAll('_', '-');
}

/** Reset of the limit that was hit, in milliseconds since the epoch; undefined if unknown. */
export function resetOf({ hit = '', used }: Waits): number | undefined {
  return used[hit]?.resetsAt;
}

import type { ApiFailure } from '../../protocol/api-failure.ts';
import type { LimitUse } from '../../protocol/usage.ts';

export const NO_WAIT: Wait = { cause: 'outage', phase: 'none', since: 0, until: 0, tries: 0, said: false };

/** What makes claude wait for the API: the account's usage limits, from claude's latest report, and outages. */
export type Waits = Readonly<typeof NO_WAITS>;

export const NO_WAITS = {
  /** Usage limits by claude's names: `five_hour`, `seven_day`. */
  used: {} as Readonly<Record<string, LimitUse>>,
  /** The limit that was reached. */
  hit: undefined as string | undefined,
  wait: NO_WAIT,
};

/** A period without answers of the API. Times in milliseconds since the epoch. */
export interface Wait {
  readonly cause: ApiFailure['cause'];
  /**
   * - `none`: the API answers.
   * - `claude`: claude retries by itself.
   * - `paused`: ctxb sends nothing before `until`.
   * - `trying`: ctxb repeats the turn.
   * - `over`: ctxb has given up.
   */
  readonly phase: 'none' | 'claude' | 'paused' | 'trying' | 'over';
  readonly since: number;
  readonly until: number;
  /** Turns that have ended without an answer. */
  readonly tries: number;
  readonly said: boolean;
}

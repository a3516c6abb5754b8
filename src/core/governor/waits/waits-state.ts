import type { ApiFailure, LimitUse } from '../../protocol/events.ts';

/** The usage limits of the account, as claude last told them. */
export type Limits = Readonly<typeof NO_LIMITS>;

export const NO_LIMITS = {
  /** By claude's names for them: `five_hour`, `seven_day`. */
  used: {} as Readonly<Record<string, LimitUse>>,
  hit: undefined as string | undefined,
  /** Limits that were announced, with the time of their reset. */
  said: [] as readonly string[],
};

/** The API has not answered since a moment. Times in milliseconds since the epoch. */
export interface Wait {
  readonly cause: ApiFailure['cause'];
  /**
   * - `claude`: claude tries again by itself.
   * - `paused`: nothing is sent until `until`.
   * - `trying`: the turn is repeated.
   * - `over`: it was given up.
   */
  readonly phase: 'claude' | 'paused' | 'trying' | 'over';
  readonly since: number;
  readonly until: number;
  /** Turns that have ended without an answer. */
  readonly tries: number;
  readonly said: boolean;
}

/** The last sign of life of claude's. Times in milliseconds since the epoch. */
export type Life = Readonly<typeof NEW_LIFE>;

export const NEW_LIFE = {
  at: 0,
  /** What it was; undefined: there was none. */
  kind: undefined as string | undefined,
};

import type { ApiFailure, LimitUse } from '../../protocol/events.ts';

/** Usage limits of the account, from claude's latest report. */
export type Limits = Readonly<typeof NO_LIMITS>;

export const NO_LIMITS = {
  /** By claude's names: `five_hour`, `seven_day`. */
  used: {} as Readonly<Record<string, LimitUse>>,
  hit: undefined as string | undefined,
};

/** A period without answers of the API. Times in milliseconds since the epoch. */
export interface Wait {
  readonly cause: ApiFailure['cause'];
  /**
   * - `claude`: claude retries by itself.
   * - `paused`: ctxb sends nothing before `until`.
   * - `trying`: ctxb repeats the turn.
   * - `over`: ctxb has given up.
   */
  readonly phase: 'claude' | 'paused' | 'trying' | 'over';
  readonly since: number;
  readonly until: number;
  /** Turns that have ended without an answer. */
  readonly tries: number;
  readonly said: boolean;
}

/** claude's last sign of life. Times in milliseconds since the epoch. */
export type Life = Readonly<typeof NEW_LIFE>;

export const NEW_LIFE = {
  at: 0,
  /** Kind or name of the event; undefined before the first one. */
  kind: undefined as string | undefined,
};

import { nativeReserve } from '../../core/governor/gauge/window.ts';
import { restingTrigger } from '../../core/governor/policy.ts';
import type { WhatIfPolicy } from './what-if.ts';

/** Without compaction of its own claude refuses to go on so far below its window (measured: at 180,000 of 200,000). */
const BLOCKING_RESERVE_TOKENS = 20_000;

/** claude's own trigger in a simulation. */
export interface Trigger {
  /**
   * Tokens: a call that has them, with what it wrote, is the last before a compaction. claude also counts what its tools
   * gave since, at four characters a token, which may bring it a call forward. undefined: it waits for the API's refusal.
   */
  readonly at: number | undefined;
  readonly by: 'claude' | 'placed';
  /** The largest context of a call. */
  readonly most: number;
  /** It compacts when `most` is exceeded. */
  readonly reacts: boolean;
}

/**
 * @param window tokens
 * @param version that made the recording; null counts as the newest
 */
export function triggerOf(whatIf: WhatIfPolicy, window: number, version: string | null): Trigger {
  const { native, none, policy } = whatIf;
  if (native === 'off') return { at: undefined, by: 'claude', most: window - BLOCKING_RESERVE_TOKENS, reacts: false };
  const own = { by: 'claude', most: window, reacts: true } as const;
  if (typeof native === 'number') return { ...own, at: Math.min(native, window) };
  const placed = none || native !== undefined ? undefined : restingTrigger(policy, window)?.at;
  if (placed !== undefined) return { ...own, at: placed, by: 'placed' };
  const reserve = nativeReserve(native ?? version ?? undefined);
  return { ...own, at: reserve === 0 ? undefined : Math.max(0, window - reserve) };
}

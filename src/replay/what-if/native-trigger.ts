import { NATIVE_RESERVE_TOKENS, nativeTrigger } from '../../governor/policy.ts';
import type { WhatIfPolicy } from './what-if.ts';

/**
 * What a version of Claude Code keeps free below its window before it compacts by itself, by the first version that does
 * so (measured on a window of 200,000 tokens: at 155,000 up to 2.1.20, at 167,000 from 2.1.22 to 2.1.4x). Headless
 * 2.1.197 and later compact when the API refuses the prompt, and a session of 2.1.110 went to 194,535 tokens; where
 * between 2.1.49 and 2.1.110 that began is not known.
 */
const RESERVES: readonly { readonly from: readonly number[]; readonly tokens: number }[] = [
  { from: [2, 1, 50], tokens: 0 },
  { from: [2, 1, 21], tokens: NATIVE_RESERVE_TOKENS },
  { from: [0], tokens: 45_000 },
];

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
  const placed = none || native !== undefined || !policy.midTurn.enabled ? undefined : placedAt(whatIf, window);
  if (placed !== undefined) return { ...own, at: placed, by: 'placed' };
  const reserve = reserveOf(native ?? version);
  return { ...own, at: reserve === 0 ? undefined : Math.max(0, window - reserve) };
}

/** Who wants no compaction gets claude's own as late as it can come. */
function placedAt({ policy }: WhatIfPolicy, window: number): number | undefined {
  return (policy.compaction.enabled ? nativeTrigger(policy, window) : nativeTrigger(policy, window, window))?.at;
}

function reserveOf(version: string | null): number {
  if (version === null) return 0;
  const parts = version.split('.').map(Number);
  return RESERVES.find(({ from }) => isFrom(parts, from))?.tokens ?? 0;
}

function isFrom(version: readonly number[], first: readonly number[]): boolean {
  const differences = first.map((part, place) => (version[place] ?? 0) - part);
  return (differences.find((difference) => difference !== 0) ?? 0) >= 0;
}

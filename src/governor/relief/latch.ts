import { inTokens, type Policy } from '../policy.ts';

/**
 * How far the context has risen since the last relief. A latch stays until it is cleared, so that a crossing in
 * mid-turn is still known at the turn's end. `spent`: compacting was advised already and cannot be carried out here.
 */
export type Latch = 'none' | 'warn' | 'compact' | 'spent';

/** The latch after a reading of `tokens`: crossing `compact` implies `warn`, falling below the target clears all. */
export function latchAt(latch: Latch, tokens: number, window: number | undefined, policy: Policy): Latch {
  if (tokens >= inTokens(policy.thresholds.compact, window)) return latch === 'spent' ? 'spent' : 'compact';
  if (tokens < inTokens(policy.compaction.target, window)) return 'none';
  return latch === 'none' && tokens >= inTokens(policy.thresholds.warn, window) ? 'warn' : latch;
}

import { inTokens, type Policy } from '../policy.ts';
import type { Latch } from './relief-state.ts';

/** The latch after a reading of `tokens`: crossing `compact` implies `warn`, falling below the target clears all. */
export function latchAt(latch: Latch, tokens: number, window: number | undefined, policy: Policy): Latch {
  if (tokens >= inTokens(policy.thresholds.compact, window)) return latch === 'spent' ? 'spent' : 'compact';
  if (tokens < inTokens(policy.compaction.target, window)) return 'none';
  return latch === 'none' && tokens >= inTokens(policy.thresholds.warn, window) ? 'warn' : latch;
}

import type { Gauge } from '../governor/gauge/gauge.ts';

/** A context that lost less of what was foreseen lost nothing: the estimate was off. */
const LEAST_SHARE = 0.02;

/**
 * Tokens that left the context before a call, with no boundary to say so; 0 where none did. A call that is smaller
 * than foreseen and no smaller than the one before it may just have been estimated too high.
 */
export function droppedTokens(before: Gauge, after: Gauge): number {
  const { foreseen, used } = after;
  if (foreseen === undefined || used >= before.used) return 0;
  return foreseen - used > foreseen * LEAST_SHARE ? foreseen - used : 0;
}

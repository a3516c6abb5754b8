import type { RecordedCall } from '../../src/replay/recorded-items.ts';

/** A context that lost less than this share of what was foreseen lost nothing: the estimate was off. */
const LEAST_SHARE = 0.02;

/**
 * How far off the foreseen size of each call was, in % of what was measured. The first call of a context is not foreseen,
 * and a call after a drop that no line announces is left out.
 */
export function errorsOf(calls: readonly RecordedCall[]): number[] {
  return calls.flatMap(({ predicted, context }, at) => {
    const before = calls[at - 1]?.context ?? 0;
    if (predicted === null || (context < before && predicted - context > predicted * LEAST_SHARE)) return [];
    return [(Math.abs(predicted - context) / context) * 100];
  });
}

/** Median, p90 and p99. */
export function quantilesOf(errors: readonly number[]): number[] {
  const sorted = [...errors].sort((a, b) => a - b);
  return [0.5, 0.9, 0.99].map((share) => sorted[Math.floor(share * sorted.length)] ?? Number.NaN);
}

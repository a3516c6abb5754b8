/**
 * A threshold in whole tokens.
 *
 * @param threshold a fraction of the window (0 < x <= 1), or tokens (> 1)
 * @param window tokens
 */
export function thresholdTokens(threshold: number, window: number): number {
  return threshold <= 1 ? Math.round(threshold * window) : threshold;
}

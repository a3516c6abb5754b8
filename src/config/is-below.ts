import { inTokens } from '../governor/policy.ts';

/**
 * Whether a threshold lies below another; undefined when one is a fraction and the other tokens, and the window that
 * would relate them is not known.
 */
export function isBelow(lower: number, upper: number, window: number | undefined): boolean | undefined {
  if (window !== undefined) return inTokens(lower, window) < inTokens(upper, window);
  return lower <= 1 === upper <= 1 ? lower < upper : undefined;
}

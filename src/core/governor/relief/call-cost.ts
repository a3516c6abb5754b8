import { microUsdOf, type Price } from '../cost/prices.ts';
import { CALL_TOKENS } from './economic-moment.ts';

/**
 * Length of a summary in tokens: the median of public recordings, which show few thoughts. After a summary, the context
 * is the system prompt, the tools, the summary and the current step.
 */
export const SUMMARY_TOKENS = 2_250;

/** Tokens of claude's request for a summary (2.1.332). */
const REQUEST_TOKENS = 1_600;

/**
 * Cost of a summary, in micro-dollars.
 * @param context tokens that the summary replaces
 * @param isCold whether the cache has expired
 */
export function summaryCost(context: number, price: Price, isCold: boolean): number {
  return readingCost(context, SUMMARY_TOKENS, price, isCold) + readingCost(REQUEST_TOKENS, 0, price, true);
}

/**
 * Cost of a call that only fetches content, in micro-dollars.
 * @param context tokens that the call reads
 * @param thoughts tokens of its thoughts
 */
export function callCost(context: number, price: Price, thoughts = 0): number {
  return readingCost(context, CALL_TOKENS + thoughts, price, false);
}

/** Cost of reading `tokens`, in micro-dollars. @param isCold whether the cache is empty */
export function readingCost(tokens: number, output: number, price: Price, isCold: boolean): number {
  const all = Math.round(tokens);
  const [cacheRead, cacheCreation] = isCold ? [0, all] : [all, 0];
  return microUsdOf({ input: 0, cacheCreation, cacheRead, output }, price);
}

import { inTokens } from '../policy.ts';
import { landingOf, mayCompact } from '../relief/strategy.ts';
import type { GovernorState } from '../state.ts';
import { toUsd } from './cost.ts';

/** What compacting before the next prompt would save, and over how many calls. */
export interface Saving {
  readonly usd: number;
  readonly calls: number;
}

/** What is compared; sizes in tokens, rates in micro-dollars for a million of them. */
export interface Outlook {
  /** What is to be read again. */
  readonly full: number;
  /** What a compaction would leave. */
  readonly landing: number;
  /** Where the context is compacted in either case. */
  readonly ceiling: number;
  /** By how much a call makes it grow. */
  readonly growth: number;
  /** Calls to come. */
  readonly calls: number;
  readonly rates: {
    /** Written to the cache, for as long as claude has it kept. */
    readonly write: number;
    readonly cacheRead: number;
    readonly output: number;
  };
}

/** The median summary of public recordings is 2,250 tokens; the model thinks about as long before it writes it. */
const SUMMARY_TOKENS = 4_000;

/** What is saved must be more than this share of what is compared: the outlook is not known better. */
const LEAST_SHARE = 0.1;

/**
 * Whether compacting first is cheaper, now that the cache is gone. It is assumed that the context grows as it did, and
 * that as many calls follow as there were since it was new; where all prompts are known, as many for each of them as the
 * turns before took. In public recordings each of the 15 savings that this promised would have been one, and 8 more.
 *
 * @param full tokens that are to be read again
 * @returns undefined when it is not cheaper, or when there is nothing yet to tell it from
 */
export function compactFirst(state: GovernorState, full: number, rates: Outlook['rates']): Saving | undefined {
  const { gauge, turn, relief, run } = state;
  if (turn.ended === 0 || !mayCompact(state)) return undefined;
  const ceiling = inTokens(run.policy.thresholds.compact, gauge.window.tokens);
  const calls = callsToCome(state);
  const growth = Math.max(0, turn.growth.tokens) / Math.max(1, gauge.calls);
  const { goOn, compact } = compareWays({
    full,
    landing: landingOf(relief.landings, ceiling),
    ceiling,
    growth,
    calls,
    rates,
  });
  return compact < goOn * (1 - LEAST_SHARE) ? { usd: toUsd(Math.round(goOn - compact)), calls } : undefined;
}

function callsToCome({ mailbox, gauge, turn, cache }: GovernorState): number {
  return mailbox.ended ? Math.round(((1 + mailbox.waiting.length) * gauge.calls) / turn.ended) : cache.calls;
}

/**
 * What either way costs, in micro-dollars. The call that makes a summary reads the whole context, and writes it to the
 * cache as any other does (seen in 2.1.197), so that compacting does not spare the first reading: it is the summary and
 * writing what is left of the context, against reading less at each call after it.
 */
export function compareWays(outlook: Outlook): { readonly goOn: number; readonly compact: number } {
  const { full, landing, rates } = outlook;
  const first = (full * rates.write) / 1_000_000;
  return {
    goOn: first + furtherCalls(outlook, full),
    compact: first + summaryCost(outlook) + furtherCalls(outlook, Math.min(landing, full)),
  };
}

/** The summary itself, and the first call with what it leaves. */
function summaryCost({ landing, rates }: Outlook): number {
  return (SUMMARY_TOKENS * rates.output + landing * rates.write) / 1_000_000;
}

/** All calls but the first, of a context that begins with so many tokens. */
function furtherCalls(outlook: Outlook, tokens: number): number {
  const { calls, growth, ceiling, landing, rates } = outlook;
  let context = tokens;
  let sum = 0;
  for (let call = 1; call < calls; call++) {
    sum += (context * rates.cacheRead + growth * rates.write) / 1_000_000;
    context += growth;
    if (context < ceiling || landing >= ceiling) continue;
    sum += (context * rates.cacheRead) / 1_000_000 + summaryCost(outlook);
    context = landing;
  }
  return sum;
}

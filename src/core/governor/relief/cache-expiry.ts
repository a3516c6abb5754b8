import type { AssistantEvent } from '../../protocol/events.ts';
import type { Saving } from '../actions.ts';
import { toUsd } from '../cost/cost.ts';
import { priceAt, priceFor, type Rates } from '../cost/prices.ts';
import { callOutput } from '../gauge/gauge.ts';
import type { Prompt } from '../input.ts';
import { inTokens } from '../policy.ts';
import { relievesContext } from '../prompts/prompt.ts';
import type { GovernorState, PromptCache } from '../state.ts';
import { decided, keep, type Step } from '../steps.ts';
import { landingOf, mayCompact } from './ladder.ts';

/** Announces before a prompt what an expired cache will cost, above the configured amount. */
export function announceExpiry(state: GovernorState, prompt: Prompt | 'unseen'): Step {
  const { gauge, cache, now, session, run } = state;
  const idleMs = idleBeyondLife(cache, now);
  const least = run.policy.cost.expiredCacheUsd;
  const listPrice = priceFor(gauge.call?.model ?? session.model, run.policy.cost.prices, session.version);
  // Another basis says that the context has been replaced since, or may have been.
  if (idleMs === undefined || gauge.basis !== 'measured' || typeof least !== 'number' || listPrice === undefined) {
    return keep(state);
  }
  if (prompt !== 'unseen' && relievesContext(prompt)) return keep(state);
  const tokens = gauge.used + callOutput(gauge);
  const price = priceAt(listPrice, tokens);
  const [usd, cachedUsd] = [writePrice(cache, price), price.cacheRead].map((rate) => usdOf(tokens, rate));
  if (usd === undefined || cachedUsd === undefined || usd - cachedUsd < least) return keep(state);
  const { lifetimeMs } = cache;
  const reason = `the prompt cache has probably expired (no call for ${minutes(idleMs)} minutes, it is kept for ${minutes(lifetimeMs)})`;
  const saving = compactFirst(state, tokens, { ...price, write: writePrice(cache, price) });
  return keep(state, [
    { kind: 'cache-expired', ...decided(state, reason), idleMs, lifetimeMs, tokens, usd, cachedUsd, saving },
  ]);
}

function usdOf(tokens: number, rate: number): number {
  return toUsd(Math.round((tokens * rate) / 1_000_000));
}

function minutes(ms: number): number {
  return Math.round(ms / 6_000) / 10;
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

/** Least saving as a share of the cost: the assumptions are no more exact than that. */
const LEAST_SHARE = 0.1;

/**
 * Whether compacting first is cheaper, now that the cache is gone. It is assumed that the context grows as it did, and
 * that as many calls follow as there were since it was new; where all prompts are known, as many for each of them as the
 * turns before took. In public recordings each of the 15 savings that this promised would have been one, and 8 more.
 *
 * @param full tokens that are to be read again
 * @returns undefined when it is not cheaper, or when there is nothing yet to tell it from
 */
function compactFirst(state: GovernorState, full: number, rates: Outlook['rates']): Saving | undefined {
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

/** Cost of all calls but the first, of a context that begins with `tokens`. */
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

const FIVE_MINUTES_MS = 5 * 60_000;
const HOUR_MS = 60 * 60_000;

export const NO_CACHE: PromptCache = { usedAt: undefined, lifetimeMs: FIVE_MINUTES_MS, calls: 0 };

/**
 * The cache after a main-thread call, which has written to it, or prolonged its life by reading it. How long that life
 * is, is told by what is written only.
 *
 * @param now milliseconds since the epoch
 */
export function cacheAfter(cache: PromptCache, { usage }: AssistantEvent, now: number): PromptCache {
  if (usage === undefined) return cache;
  const { cacheCreation, cacheCreationHour = 0, cacheRead } = usage;
  const written = cacheCreationHour * 2 > cacheCreation ? HOUR_MS : FIVE_MINUTES_MS;
  return {
    usedAt: cacheCreation + cacheRead > 0 ? now : undefined,
    lifetimeMs: cacheCreation > 0 ? written : cache.lifetimeMs,
    calls: cache.calls + 1,
  };
}

/** For how long nothing has used a cache that lives no longer than that; undefined: it should still be there. */
export function idleBeyondLife({ usedAt, lifetimeMs }: PromptCache, now: number): number | undefined {
  if (usedAt === undefined || usedAt <= 0) return undefined;
  return now - usedAt > lifetimeMs ? now - usedAt : undefined;
}

/** What a token costs to write to a cache of this lifetime, in micro-dollars for a million. */
export function writePrice({ lifetimeMs }: PromptCache, price: Rates): number {
  return lifetimeMs === HOUR_MS ? price.cacheWriteHour : price.cacheWrite;
}

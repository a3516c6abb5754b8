import type { AssistantEvent } from '../../stream/events.ts';
import { callOutput } from '../gauge/gauge.ts';
import { type Prompt, relievesContext } from '../prompts/mailbox.ts';
import { decided, type GovernorState } from '../state.ts';
import { keep, type Step } from '../steps.ts';
import { compactFirst } from './compact-first.ts';
import { toUsd } from './cost.ts';
import { type Price, priceAt, priceFor } from './prices.ts';

/** The prompt cache that the main thread's calls write and read. */
export interface PromptCache {
  /** When a call last used it, in milliseconds since the epoch; undefined: nothing is known to be in it. */
  readonly usedAt: number | undefined;
  readonly lifetimeMs: number;
  /** Calls since the context was new. */
  readonly calls: number;
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
export function writePrice({ lifetimeMs }: PromptCache, price: Price): number {
  return lifetimeMs === HOUR_MS ? price.cacheWriteHour : price.cacheWrite;
}

/** Says before a prompt what it will cost that the cache is gone, where that is worth a word. */
export function announceExpiry(state: GovernorState, prompt: Prompt | 'unseen'): Step {
  const { gauge, cache, now, session, run } = state;
  const idleMs = idleBeyondLife(cache, now);
  const least = run.policy.cost.expiredCacheUsd;
  const listPrice = priceFor(gauge.call?.model ?? session.model, run.policy.cost.prices);
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

import type { InitEvent } from '../../protocol/events.ts';
import type { Usage } from '../../protocol/usage.ts';
import { toUsd } from './cost.ts';
import type { Rates } from './prices.ts';

const FIVE_MINUTES_MS = 5 * 60_000;
const HOUR_MS = 60 * 60_000;

/** The tools and MCP servers that claude reports. */
export type Setup = Pick<InitEvent, 'tools' | 'servers'>;

/** The prompt cache that the main thread's calls write and read. */
export type PromptCache = Readonly<typeof NO_CACHE>;

export const NO_CACHE = {
  /** When a call last used the cache, in milliseconds since the epoch; undefined if it may be empty. */
  usedAt: undefined as number | undefined,
  lifetimeMs: FIVE_MINUTES_MS,
  /** Tokens in the cache after the last call. */
  held: 0,
  /** Expected share of calls within a turn that find their context in the cache. */
  hits: 1,
  setup: undefined as Setup | undefined,
  version: undefined as string | undefined,
  /** Whether claude was restarted since the last call. */
  restarted: false,
};

/**
 * The cache after a call of the main thread: the call wrote to it, or reading extended its life. Only writes show its
 * lifetime.
 * @param session tools and version of the call
 * @param before tokens of the previous call of the turn; undefined if there was none, or the context was replaced
 */
export function cacheAfter(
  cache: PromptCache,
  { usage, version }: { readonly usage: Usage; readonly version: string | undefined },
  session: Pick<PromptCache, 'setup' | 'version'>,
  now: number,
  before: number | undefined,
): PromptCache {
  const { cacheCreation, cacheRead } = usage;
  const held = cacheCreation + cacheRead;
  return {
    usedAt: held > 0 ? now : undefined,
    lifetimeMs: cacheCreation > 0 ? lifetimeOf(usage) : cache.lifetimeMs,
    held,
    hits:
      before === undefined ? cache.hits : cache.hits + (Number(cacheRead * 2 >= before) - cache.hits) / AVERAGED_CALLS,
    setup: session.setup,
    version: version ?? session.version,
    restarted: false,
  };
}

/** Number of calls over which the hit rate is averaged. */
const AVERAGED_CALLS = 12;

/** How long the cache keeps most of what a call has written to it, in milliseconds. */
function lifetimeOf({ cacheCreation, cacheCreationHour = 0 }: Usage): number {
  return cacheCreationHour * 2 > cacheCreation ? HOUR_MS : FIVE_MINUTES_MS;
}

/** Time since the last use of an expired cache, in milliseconds; undefined if it should still exist. */
export function expiredIdleMs({ usedAt, lifetimeMs }: PromptCache, now: number): number | undefined {
  if (usedAt === undefined || usedAt <= 0) return undefined;
  return now - usedAt > lifetimeMs ? now - usedAt : undefined;
}

/** Whether most calls of a turn find their context in the cache. */
export function isUsuallyHit({ hits }: PromptCache): boolean {
  return hits >= 0.5;
}

/** Price of writing to a cache of this lifetime, in micro-dollars per million tokens. */
export function writePrice({ lifetimeMs }: PromptCache, price: Rates): number {
  return lifetimeMs === HOUR_MS ? price.cacheWriteHour : price.cacheWrite;
}

/** Cost in US dollars of writing tokens to the cache again (`usd`), and of reading them from it (`cachedUsd`). */
export function rewriteCost(tokens: number, cache: PromptCache, price: Rates) {
  const usdAt = (rate: number) => toUsd(Math.round((tokens * rate) / 1_000_000));
  return { usd: usdAt(writePrice(cache, price)), cachedUsd: usdAt(price.cacheRead) };
}

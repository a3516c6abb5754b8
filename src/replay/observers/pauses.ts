import { toMicroUsd, toUsd } from '../../core/governor/cost/cost.ts';
import { type Prices, priceAt, priceFor } from '../../core/governor/cost/prices.ts';
import { idleBeyondLife, rewriteCost } from '../../core/governor/cost/prompt-cache.ts';
import type { Seen } from './seen.ts';

/** If the cache contains a smaller share of the previous context, it counts as expired. */
const KEPT_SHARE = 0.5;

/** Pauses that may expire the prompt cache, judged by the usage of the next call. */
export type Pauses = Readonly<ReturnType<ReturnType<typeof createPauses>['found']>>;

/**
 * The cost of pauses longer than the life of the prompt cache, measured by the usage of the first call after each
 * pause.
 */
export function createPauses(prices: Prices) {
  /** `expired`: pauses after which the cache had expired. `tokens`: read again after them. */
  const pauses = { count: 0, expired: 0, tokens: 0 };
  const microUsd = { read: 0, cached: 0 };
  return {
    see({ input, before, after }: Seen): void {
      const { call } = after.facts;
      if (
        call?.kind !== 'assistant' ||
        before.gauge.basis !== 'measured' ||
        idleBeyondLife(before.session.cache, input.t) === undefined
      )
        return;
      const { cacheRead, cacheCreation, input: uncached } = call.usage;
      const { used } = before.gauge;
      pauses.count++;
      if (cacheRead >= used * KEPT_SHARE) return;
      const tokens = Math.min(used - cacheRead, cacheCreation + uncached);
      const listPrice = priceFor(call.model, prices, call.version ?? before.session.version);
      pauses.expired++;
      pauses.tokens += tokens;
      if (listPrice === undefined) return;
      const price = priceAt(listPrice, cacheRead + cacheCreation + uncached, call.usage.terms);
      const { usd, cachedUsd } = rewriteCost(tokens, before.session.cache, price);
      microUsd.read += toMicroUsd(usd);
      microUsd.cached += toMicroUsd(cachedUsd);
    },
    /** Costs at list prices in US dollars; a model without a price counts as 0. `cachedUsd`: if read from the cache. */
    found: () => ({ ...pauses, usd: toUsd(microUsd.read), cachedUsd: toUsd(microUsd.cached) }),
  };
}

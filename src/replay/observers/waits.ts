import { toUsd } from '../../core/governor/cost/cost.ts';
import { type Prices, priceAt, priceFor } from '../../core/governor/cost/prices.ts';
import { idleBeyondLife, writePrice } from '../../core/governor/cost/prompt-cache.ts';
import type { Wait } from '../../core/governor/waits/waits-state.ts';
import type { Pauses, Waits } from '../summary.ts';
import type { Observer } from './seen.ts';

const NONE: Waits = { limits: 0, limitMs: 0, outages: 0, outageMs: 0 };

/**
 * How long the API did not answer, for a usage limit or an outage: from the first refusal until the next answer. In a
 * stream the lines around it may have no time: then at least as long as claude said before each try.
 */
export function createWaits(): Observer<Waits> {
  let over = NONE;
  /** The one under way, with the time until which it is seen, what has been waited as claude said, and what is to be. */
  let open: { readonly wait: Wait; readonly until: number; readonly said: number; readonly next: number } | undefined;
  return {
    see({ input: { t, event }, after: { wait } }) {
      if (wait !== undefined && wait.phase !== 'over') {
        const { said = 0, next = 0 } = open ?? {};
        const tries = event.kind === 'api-retry' ? { said: said + next, next: event.delayMs } : { said, next };
        open = { wait, until: t, ...tries };
        return;
      }
      if (open === undefined) return;
      // Where nothing has come, nobody knows that it was waited for longer.
      const isAnswer = wait === undefined && event.kind === 'assistant';
      const until = isAnswer ? t : Math.min(t, open.wait.until);
      over = withWait(over, open.wait, until, open.said + (isAnswer ? open.next : 0));
      open = undefined;
    },
    found: () => (open === undefined ? over : withWait(over, open.wait, open.until, open.said)),
  };
}

/** @param said what claude said that it waits, in milliseconds */
function withWait(waits: Waits, { cause, since }: Wait, until: number, said: number): Waits {
  const ms = (since > 0 && Math.max(0, until - since)) || said;
  return cause === 'limit'
    ? { ...waits, limits: waits.limits + 1, limitMs: waits.limitMs + ms }
    : { ...waits, outages: waits.outages + 1, outageMs: waits.outageMs + ms };
}

/** With less of the context before it in the cache, a call counts as one whose cache had expired. */
const KEPT_SHARE = 0.5;

/** What pauses longer than the life of the prompt cache have cost, by the usage of the first call after each. */
export function createPauses(prices: Prices): Observer<Pauses> {
  const pauses = { count: 0, expired: 0, tokens: 0 };
  const microUsd = { read: 0, cached: 0 };
  return {
    see({ input, before, after }) {
      const { call } = after.facts;
      if (
        call?.kind !== 'assistant' ||
        before.gauge.basis !== 'measured' ||
        idleBeyondLife(before.cache, input.t) === undefined
      )
        return;
      const { cacheRead, cacheCreation, input: uncached } = call.usage;
      const { used } = before.gauge;
      pauses.count++;
      if (cacheRead >= used * KEPT_SHARE) return;
      const tokens = Math.min(used - cacheRead, cacheCreation + uncached);
      const listPrice = priceFor(call.model, prices, call.version ?? before.session.version);
      const cost = (rate: number) => Math.round((tokens * rate) / 1_000_000);
      pauses.expired++;
      pauses.tokens += tokens;
      if (listPrice === undefined) return;
      const price = priceAt(listPrice, cacheRead + cacheCreation + uncached, call.usage.terms?.fast);
      microUsd.read += cost(writePrice(before.cache, price));
      microUsd.cached += cost(price.cacheRead);
    },
    found: () => ({ ...pauses, usd: toUsd(microUsd.read), cachedUsd: toUsd(microUsd.cached) }),
  };
}

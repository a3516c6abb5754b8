import { toUsd } from '../../core/governor/cost/cost.ts';
import { idleBeyondLife, type Prices, priceAt, priceFor, writePrice } from '../../core/governor/cost/prices.ts';
import type { Wait } from '../../core/governor/waits/waits-state.ts';
import type { Pauses, Waits } from '../summary.ts';
import type { Observer } from './seen.ts';

const NONE: Waits = { limits: 0, limitMs: 0, outages: 0, outageMs: 0 };

/** How long the API did not answer, for a usage limit or an outage: from the first refusal until the next answer. */
export function createWaits(): Observer<Waits> {
  let over = NONE;
  /** The one under way, with the time until which it is seen. */
  let open: { readonly wait: Wait; readonly until: number } | undefined;
  return {
    see({ input: { t, event }, after: { wait } }) {
      if (wait !== undefined && wait.phase !== 'over') {
        open = { wait, until: t };
        return;
      }
      if (open === undefined) return;
      // Where nothing has come, nobody knows that it was waited for longer.
      const isAnswer = wait === undefined && event.kind === 'assistant';
      over = withWait(over, open.wait, isAnswer ? t : Math.min(t, open.wait.until));
      open = undefined;
    },
    found: () => (open === undefined ? over : withWait(over, open.wait, open.until)),
  };
}

function withWait(waits: Waits, { cause, since }: Wait, until: number): Waits {
  const ms = Math.max(0, until - since);
  return cause === 'limit'
    ? { ...waits, limits: waits.limits + 1, limitMs: waits.limitMs + ms }
    : { ...waits, outages: waits.outages + 1, outageMs: waits.outageMs + ms };
}

/** With less of the context before it in the cache, a call counts as one whose cache had expired. */
const KEPT_SHARE = 0.5;

/** What pauses longer than the life of the prompt cache have cost, by the usage of the first call after each. */
export function createPauses(prices: Prices): Observer<Pauses> {
  const pauses = { count: 0, expired: 0, tokens: 0, usd: 0, cachedUsd: 0 };
  return {
    see({ input, before, after }) {
      const { event } = input;
      if (event.kind !== 'assistant' || event.usage === undefined || after.gauge.calls === before.gauge.calls) return;
      if (before.gauge.basis !== 'measured' || idleBeyondLife(before.cache, input.t) === undefined) return;
      const { cacheRead, cacheCreation, input: uncached } = event.usage;
      const { used } = before.gauge;
      pauses.count++;
      if (cacheRead >= used * KEPT_SHARE) return;
      const tokens = Math.min(used - cacheRead, cacheCreation + uncached);
      const listPrice = priceFor(event.model, prices, event.version ?? before.session.version);
      const cost = (rate: number) => toUsd(Math.round((tokens * rate) / 1_000_000));
      pauses.expired++;
      pauses.tokens += tokens;
      if (listPrice === undefined) return;
      const price = priceAt(listPrice, cacheRead + cacheCreation + uncached, event.usage.terms?.fast);
      pauses.usd += cost(writePrice(before.cache, price));
      pauses.cachedUsd += cost(price.cacheRead);
    },
    found: () => ({ ...pauses }),
  };
}

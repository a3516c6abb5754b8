import { toUsd } from '../cost/cost.ts';
import { priceAt } from '../cost/prices.ts';
import { idleBeyondLife, writePrice } from '../cost/prompt-cache.ts';
import type { Saving } from '../decisions.ts';
import { callOutput } from '../gauge/gauge.ts';
import type { Prompt } from '../input.ts';
import { relievesContext } from '../prompts/prompt.ts';
import type { GovernorState } from '../state.ts';
import { decided, keep, type Step } from '../steps.ts';
import { compareWays } from './economic-moment.ts';
import { exactIsPossible } from './exact.ts';
import { mayCompact } from './ladder.ts';
import { outlookOf, priceOfModel } from './outlook.ts';

/** Announces before a prompt what an expired cache will cost, above the configured amount. */
export function announceExpiry(state: GovernorState, prompt: Prompt | 'unseen'): Step {
  const { gauge, cache, now, run } = state;
  const idleMs = idleBeyondLife(cache, now);
  const least = run.policy.cost.expiredCacheUsd;
  const listPrice = priceOfModel(state);
  // Another basis says that the context has been replaced since, or may have been.
  if (idleMs === undefined || gauge.basis !== 'measured' || typeof least !== 'number' || listPrice === undefined) {
    return keep(state);
  }
  if (prompt !== 'unseen' && relievesContext(prompt)) return keep(state);
  const tokens = gauge.used + callOutput(gauge);
  const price = priceAt(listPrice, tokens);
  const usdAt = (rate: number) => toUsd(Math.round((tokens * rate) / 1_000_000));
  const [usd, cachedUsd] = [usdAt(writePrice(cache, price)), usdAt(price.cacheRead)];
  if (usd - cachedUsd < least) return keep(state);
  const { lifetimeMs } = cache;
  const reason = `the prompt cache has probably expired (no call for ${minutes(idleMs)} minutes, it is kept for ${minutes(lifetimeMs)})`;
  const saving = relieveFirst(state, tokens);
  return keep(state, [
    { kind: 'cache-expired', ...decided(state, reason), idleMs, lifetimeMs, tokens, usd, cachedUsd, saving },
  ]);
}

function minutes(ms: number): number {
  return Math.round(ms / 6_000) / 10;
}

/** Least saving as a share of the cost: the assumptions are no more exact than that. */
const LEAST_SHARE = 0.1;

/**
 * Whether relieving the context first is cheaper, now that the cache is gone.
 *
 * @param full tokens that are to be read again
 * @returns undefined when it is not cheaper, or when there is nothing yet to tell it from
 */
function relieveFirst(state: GovernorState, full: number): Saving | undefined {
  if (state.turn.ended === 0 || !mayCompact(state)) return undefined;
  const outlook = { ...outlookOf(state, exactIsPossible(state) ? 'exact' : 'summary'), full };
  const { goOn, relieve } = compareWays(outlook);
  const saved = { usd: toUsd(Math.round(goOn - relieve)), calls: outlook.calls };
  return relieve < goOn * (1 - LEAST_SHARE) ? saved : undefined;
}

import type { GovernorState } from '../state.ts';
import { type Price, priceFor } from './prices.ts';

/** Of the model that the main thread used last; undefined: it is not known. */
export function priceOfModel({ gauge, session, run }: GovernorState): Price | undefined {
  return priceFor(gauge.call?.model ?? session.model, run.policy.cost.prices, session.version);
}

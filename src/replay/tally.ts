import { toUsd } from '../core/governor/cost/cost.ts';
import { microUsdOf, type Price } from '../core/governor/cost/prices.ts';
import { contextOf, type Usage } from '../core/protocol/usage.ts';
import type { CallBegun } from './observers/calls.ts';
import { sumUsd } from './totals.ts';

/** Totals over the calls of the main thread. */
export type TallyFigures = ReturnType<Tally['figures']>;

export function addFigures(a: TallyFigures, b: TallyFigures): TallyFigures {
  return {
    peak: Math.max(a.peak, b.peak),
    read: a.read + b.read,
    cacheRead: a.cacheRead + b.cacheRead,
    usd: sumUsd([a.usd, b.usd]),
    reliefs: a.reliefs + b.reliefs,
  };
}

export type PriceOf = (model: string | null) => Price | undefined;

/** The usage and model that a call is billed by. */
export type BilledCall = Usage & Pick<CallBegun, 'model'>;

export type Tally = ReturnType<typeof createTally>;

export function createTally(priceOf: PriceOf) {
  /** The largest context; the sum of the contexts, and its cached part; compactions and handoffs. */
  const sums = { peak: 0, read: 0, cacheRead: 0, reliefs: 0 };
  let microUsd: number | undefined;

  /**
   * Adds a call that leaves the context unchanged: it writes a summary, or fetches content again after a compaction.
   */
  function add(usage: BilledCall): void {
    const price = priceOf(usage.model);
    sums.read += contextOf(usage);
    sums.cacheRead += usage.cacheRead;
    if (price !== undefined) microUsd = (microUsd ?? 0) + microUsdOf(usage, price);
  }

  return {
    add,
    called(usage: BilledCall, reliefs: number): void {
      add(usage);
      sums.peak = Math.max(sums.peak, contextOf(usage));
      sums.reliefs += reliefs;
    },
    /** `usd`: at list prices; null if no price is known. */
    figures: () => ({ ...sums, usd: microUsd === undefined ? null : toUsd(microUsd) }),
  };
}

import { toUsd } from '../../governor/cost/cost.ts';
import { microUsdOf, PRICES, type Price, type Prices, priceOf } from '../../governor/cost/prices.ts';
import type { Usage } from '../../stream/events.ts';
import { contextOf } from '../../stream/usage.ts';
import type { CallSeen } from '../summary.ts';
import type { SimulateOptions } from './simulate.ts';
import type { Figures, Reading, ReliefBy } from './what-if.ts';

/** Adds up the figures of a run. */
export interface Tally {
  called(call: CallSeen, usage: Usage, cuts: readonly number[]): void;
  relieved(call: CallSeen, by: ReliefBy, usage: Usage): void;
  /** A relief that no call followed: nothing shows what it read. */
  trailing(by: ReliefBy): void;
  found(): { readonly figures: Figures; readonly peakCall: number };
}

export function createTally({ window, prices }: SimulateOptions): Tally {
  const priceAt = priceList(prices);
  const main = createReading();
  const relief = createReading();
  const above = { half: 0, seventy: 0, eightyFive: 0 };
  const reliefs: Record<ReliefBy, number> = { claude: 0, placed: 0, caller: 0, ctxb: 0, handoff: 0 };
  const cut = { results: 0, tokens: 0 };
  const peak = { context: 0, call: 0 };

  function weigh(context: number, number: number): void {
    if (context > window * 0.5) above.half++;
    if (context > window * 0.7) above.seventy++;
    if (context > window * 0.85) above.eightyFive++;
    if (context > peak.context) Object.assign(peak, { context, call: number });
  }

  return {
    called({ model, number }, usage, cuts) {
      main.add(usage, priceAt(model));
      weigh(contextOf(usage), number);
      cut.results += cuts.length;
      cut.tokens += cuts.reduce((sum, tokens) => sum + tokens, 0);
    },
    relieved({ model }, by, usage) {
      relief.add(usage, priceAt(model));
      reliefs[by]++;
    },
    trailing(by) {
      reliefs[by]++;
    },
    found: () => ({
      figures: { above, peak: peak.context, main: main.found(), relief: relief.found(), reliefs, cut },
      peakCall: peak.call,
    }),
  };
}

function createReading() {
  const sums = { calls: 0, read: 0, cacheRead: 0 };
  let microUsd: number | undefined;
  return {
    add(usage: Usage, price: Price | undefined): void {
      sums.calls++;
      sums.read += contextOf(usage);
      sums.cacheRead += usage.cacheRead;
      if (price !== undefined) microUsd = (microUsd ?? 0) + microUsdOf(usage, price);
    },
    found: (): Reading => ({ ...sums, usd: microUsd === undefined ? null : toUsd(microUsd) }),
  };
}

/** Looks each model up once. */
function priceList(lists: readonly Prices[]): (model: string | null) => Price | undefined {
  const known = new Map<string | null, Price | undefined>();
  const find = (model: string) =>
    [...lists, PRICES].map((prices) => priceOf(model, prices)).find((price) => price !== undefined);
  return (model) => {
    if (!known.has(model)) known.set(model, find(model ?? ''));
    return known.get(model);
  };
}

import type { Best, Figures, WhatIfTotal } from './what-if.ts';

/** What costs least, and what has the lowest peak; where two are equal, by fewer calls near the end of the window, then by cost. */
export function bestOf(runs: readonly WhatIfTotal[]): Best {
  const fit = runs.filter(({ exhausted }) => exhausted === 0);
  const priced = fit.filter(({ figures }) => usdOf(figures) !== null);
  return {
    cost: leastBy(priced, ({ figures, meanPeak }) => [usdOf(figures) ?? 0, meanPeak]),
    peak: leastBy(fit, ({ figures, meanPeak }) => [
      meanPeak,
      figures.above.eightyFive,
      figures.above.seventy,
      usdOf(figures) ?? 0,
    ]),
  };
}

/** What calls and reliefs cost together; null where none of the models has a price. */
export function usdOf({ main, relief }: Figures): number | null {
  return main.usd === null ? null : main.usd + (relief.usd ?? 0);
}

/** The first of those that come first. */
function leastBy(runs: readonly WhatIfTotal[], keysOf: (run: WhatIfTotal) => readonly number[]): string | null {
  let best: { readonly name: string; readonly keys: readonly number[] } | undefined;
  for (const run of runs) {
    const keys = keysOf(run);
    if (best === undefined || isBefore(keys, best.keys)) best = { name: run.name, keys };
  }
  return best?.name ?? null;
}

function isBefore(keys: readonly number[], others: readonly number[]): boolean {
  const at = keys.findIndex((key, place) => key !== others[place]);
  return at >= 0 && (keys[at] ?? 0) < (others[at] ?? 0);
}

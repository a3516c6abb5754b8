import type { Best, Figures, Reading, WhatIfRun, WhatIfTotal } from './what-if.ts';

/** One policy over several sessions. */
export function totalOf(name: string, runs: readonly WhatIfRun[]): WhatIfTotal {
  return {
    name,
    figures: runs.map(({ figures }) => figures).reduce(added, NO_FIGURES),
    meanPeak: Math.round(runs.reduce((sum, { figures }) => sum + figures.peak, 0) / Math.max(1, runs.length)),
    exhausted: runs.filter(({ exhaustedAfter }) => exhaustedAfter !== null).length,
  };
}

const NO_READING: Reading = { calls: 0, read: 0, cacheRead: 0, usd: null };

const NO_FIGURES: Figures = {
  above: { half: 0, seventy: 0, eightyFive: 0 },
  peak: 0,
  main: NO_READING,
  relief: NO_READING,
  reliefs: { claude: 0, placed: 0, caller: 0, ctxb: 0, handoff: 0 },
  cut: { results: 0, tokens: 0 },
};

function added(a: Figures, b: Figures): Figures {
  return {
    above: addedEach(a.above, b.above),
    peak: Math.max(a.peak, b.peak),
    main: addedEach(a.main, b.main),
    relief: addedEach(a.relief, b.relief),
    reliefs: addedEach(a.reliefs, b.reliefs),
    cut: addedEach(a.cut, b.cut),
  };
}

/** Figure by figure; null is not known. */
function addedEach<T extends { readonly [name in keyof T]: number | null }>(a: T, b: T): T {
  const sum = (name: keyof T) => (a[name] === null ? b[name] : a[name] + (b[name] ?? 0));
  return Object.fromEntries((Object.keys(a) as (keyof T)[]).map((name) => [name, sum(name)])) as T;
}

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

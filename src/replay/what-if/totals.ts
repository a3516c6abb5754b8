import type { Figures, Reading, ReliefBy, WhatIfRun, WhatIfTotal } from './what-if.ts';

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
  const by = Object.keys(a.reliefs) as ReliefBy[];
  return {
    above: {
      half: a.above.half + b.above.half,
      seventy: a.above.seventy + b.above.seventy,
      eightyFive: a.above.eightyFive + b.above.eightyFive,
    },
    peak: Math.max(a.peak, b.peak),
    main: addedReading(a.main, b.main),
    relief: addedReading(a.relief, b.relief),
    reliefs: Object.fromEntries(by.map((who) => [who, a.reliefs[who] + b.reliefs[who]])) as Figures['reliefs'],
    cut: { results: a.cut.results + b.cut.results, tokens: a.cut.tokens + b.cut.tokens },
  };
}

function addedReading(a: Reading, b: Reading): Reading {
  return {
    calls: a.calls + b.calls,
    read: a.read + b.read,
    cacheRead: a.cacheRead + b.cacheRead,
    usd: a.usd === null ? b.usd : a.usd + (b.usd ?? 0),
  };
}

import type { Prices } from '../../core/governor/cost/prices.ts';
import { sumUsd } from '../copies.ts';
import type { SessionSummary } from '../summary.ts';
import { assumptionsOf, basisOf, factsOf, keptOf, landingsOf } from './basis.ts';
import { policyPilot, recordedPilot, triggerOf } from './pilot.ts';
import { priceList, simulate, stepsOf } from './simulate.ts';
import {
  type Basis,
  type Best,
  type Figures,
  isExact,
  type SessionWhatIf,
  type WhatIfPolicy,
  type WhatIfRun,
  type WhatIfTotal,
  type WhatIfTotals,
  withoutCurve,
} from './what-if.ts';

export interface CompareOptions {
  readonly policies: readonly WhatIfPolicy[];
  /** Prices that count before the built-in ones, and after a policy's own. */
  readonly prices: Prices;
  /** Each run has the context of each call. */
  readonly withCurves: boolean;
}

/** Tries policies on sessions with their series; one without calls, or of an unknown window, stays as it is. */
export function comparePolicies(sessions: readonly SessionSummary[], options: CompareOptions): SessionSummary[] {
  const replayed = { landings: landingsOf(sessions), kept: keptOf(sessions) };
  return sessions.map((session) =>
    session.window.tokens === null || session.series === undefined || session.series.length === 0
      ? session
      : { ...session, whatIf: whatIfOf(session, session.window.tokens, basisOf(session, replayed), options) },
  );
}

function whatIfOf(
  session: SessionSummary,
  recordedWindow: number,
  basis: Basis,
  { policies, prices, withCurves }: CompareOptions,
): SessionWhatIf {
  const recorded = stepsOf(session);
  const facts = factsOf(recorded, basis, policies.some(isExact));
  const version = session.claudeCodeVersion;
  const shown = (run: WhatIfRun) => (withCurves ? run : withoutCurve(run));
  const tried = (whatIf: WhatIfPolicy): WhatIfRun => {
    const window = whatIf.policy.window ?? recordedWindow;
    const trigger = triggerOf(whatIf, window, version);
    const priceOf = priceList([whatIf.policy.cost.prices, prices], version);
    const run = simulate(recorded, policyPilot({ whatIf, window, trigger, basis, priceOf }), window, priceOf);
    return shown({ name: whatIf.name, trigger: trigger.at ?? (trigger.reacts ? window : null), ...run });
  };
  const pilot = recordedPilot(recorded, basis, recordedWindow);
  const actual = simulate(recorded, pilot, recordedWindow, priceList([prices], version));
  const runs = policies.map(tried);
  return {
    actual: shown({ name: 'what happened', trigger: null, ...actual }),
    policies: runs,
    best: bestOf(runs.map((run) => totalOf(run.name, [run]))),
    facts,
    assumptions: assumptionsOf([facts]),
  };
}

/** The same policies over several sessions; undefined where none was tried. */
export function whatIfTotals(sessions: readonly SessionSummary[]): WhatIfTotals | undefined {
  const tried = sessions.flatMap(({ whatIf }) => whatIf ?? []);
  const [first] = tried;
  if (first === undefined) return undefined;
  const runsAt = (at: number) => tried.flatMap(({ policies }) => policies[at] ?? []);
  const actual = tried.map((one) => one.actual);
  const policies = first.policies.map(({ name }, at) => totalOf(name, runsAt(at)));
  return {
    sessions: tried.length,
    actual: totalOf(first.actual.name, actual),
    policies,
    best: bestOf(policies),
    assumptions: assumptionsOf(tried.map(({ facts }) => facts)),
  };
}

/** One policy over several sessions. @param runs at least one */
function totalOf(name: string, runs: readonly WhatIfRun[]): WhatIfTotal {
  return {
    name,
    figures: runs.map(({ figures }) => figures).reduce(added),
    meanPeak: Math.round(runs.reduce((sum, { figures }) => sum + figures.peak, 0) / runs.length),
    exhausted: runs.filter(({ exhaustedAfter }) => exhaustedAfter !== null).length,
  };
}

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
  const sum = (name: keyof T) => {
    if (name === 'usd') return sumUsd([a[name], b[name]]);
    return a[name] === null ? b[name] : a[name] + (b[name] ?? 0);
  };
  return Object.fromEntries((Object.keys(a) as (keyof T)[]).map((name) => [name, sum(name)])) as T;
}

/** What costs least, and what has the lowest peak; where two are equal, by fewer calls near the end of the window, then by cost. */
function bestOf(runs: readonly WhatIfTotal[]): Best {
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
  return main.usd === null ? null : sumUsd([main.usd, relief.usd]);
}

/** Of equal ones the first. */
function leastBy(runs: readonly WhatIfTotal[], keysOf: (run: WhatIfTotal) => readonly number[]): string | null {
  const [least] = runs.toSorted((a, b) => compare(keysOf(a), keysOf(b)));
  return least?.name ?? null;
}

function compare(keys: readonly number[], others: readonly number[]): number {
  const at = keys.findIndex((key, place) => key !== others[place]);
  return (keys[at] ?? 0) - (others[at] ?? 0);
}

import type { Prices } from '../../core/governor/cost/prices.ts';
import type { SessionSummary } from '../summary.ts';
import { assumptionsOf, basisOf, factsOf, keptOf, landingsOf } from './basis.ts';
import { policyPilot, recordedPilot, triggerOf } from './pilot.ts';
import { priceList, simulate } from './simulate.ts';
import { stepsOf } from './steps.ts';
import { bestOf, totalOf } from './totals.ts';
import {
  type Basis,
  isExact,
  type SessionWhatIf,
  type WhatIfPolicy,
  type WhatIfRun,
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

/**
 * Tries policies on recorded sessions; one without calls, or whose window is not known, stays as it is. Deterministic: data in, data out.
 *
 * @param sessions with their series
 */
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

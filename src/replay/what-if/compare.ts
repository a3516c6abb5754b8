import type { Prices } from '../../core/governor/cost/prices.ts';
import type { SessionSummary } from '../summary.ts';
import { assumptionsOf, factsOf } from './assumptions.ts';
import { basisOf, keptOf, landingsOf } from './basis.ts';
import { triggerOf } from './native-trigger.ts';
import { policyPilot, recordedPilot } from './pilot.ts';
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
} from './what-if.ts';

export interface CompareOptions {
  readonly policies: readonly WhatIfPolicy[];
  /** Prices that count before the built-in ones, and after a policy's own. */
  readonly prices: Prices;
  /** Each run has the context of each call. */
  readonly withCurves: boolean;
}

/** What happened, by name. */
const ACTUAL = 'what happened';

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
  tokens: number,
  basis: Basis,
  { policies, prices, withCurves }: CompareOptions,
): SessionWhatIf {
  const recorded = stepsOf(session);
  const facts = factsOf(recorded, basis, policies.some(isExact));
  const shown = ({ curve, ...run }: Required<WhatIfRun>): WhatIfRun => (withCurves ? { ...run, curve } : run);
  const version = session.claudeCodeVersion;
  const actual = simulate(recorded, recordedPilot(recorded, basis, tokens), {
    window: tokens,
    prices: [prices],
    version,
  });
  const runs = policies.map((whatIf) => {
    const window = whatIf.policy.window ?? tokens;
    const trigger = triggerOf(whatIf, window, version);
    const lists = [whatIf.policy.cost.prices, prices];
    const pilot = policyPilot({ whatIf, window, trigger, basis, priceOf: priceList(lists, version) });
    const run = simulate(recorded, pilot, { window, prices: lists, version });
    return shown({ name: whatIf.name, trigger: trigger.at ?? (trigger.reacts ? window : null), ...run });
  });
  return {
    actual: shown({ name: ACTUAL, trigger: null, ...actual }),
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
  const policies = first.policies.map(({ name }, at) =>
    totalOf(
      name,
      tried.flatMap((one) => one.policies[at] ?? []),
    ),
  );
  return {
    sessions: tried.length,
    actual: totalOf(
      first.actual.name,
      tried.map(({ actual }) => actual),
    ),
    policies,
    best: bestOf(policies),
    assumptions: assumptionsOf(tried.map(({ facts }) => facts)),
  };
}

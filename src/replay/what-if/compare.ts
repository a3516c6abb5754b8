import type { Prices } from '../../governor/cost/prices.ts';
import type { SessionSummary } from '../summary.ts';
import { assumptionsOf, type Facts, factsOf } from './assumptions.ts';
import { basisOf, landingsOf } from './basis.ts';
import { bestOf } from './best.ts';
import { triggerOf } from './native-trigger.ts';
import { policyPilot, recordedPilot } from './pilot.ts';
import { simulate } from './simulate.ts';
import { type RecordedSteps, stepsOf } from './steps.ts';
import { totalOf } from './totals.ts';
import type { Basis, SessionWhatIf, WhatIfPolicy, WhatIfRun, WhatIfTotals } from './what-if.ts';

export interface CompareOptions {
  readonly policies: readonly WhatIfPolicy[];
  /** Prices that count before the built-in ones, and after a policy's own. */
  readonly prices: Prices;
  /** Each run has the context of each call. */
  readonly withCurves: boolean;
}

/** What recordings come to under other policies. */
export interface Compared {
  /** In order; undefined: the session has no call. */
  readonly sessions: readonly (SessionWhatIf | undefined)[];
  readonly totals: WhatIfTotals;
}

/** What happened, by name. */
const ACTUAL = 'what happened';

/**
 * Tries policies on recorded sessions. Deterministic: data in, data out.
 *
 * @param sessions with their series
 */
export function comparePolicies(sessions: readonly SessionSummary[], options: CompareOptions): Compared {
  const replayed = landingsOf(sessions);
  const all: Facts[] = [];
  const compared = sessions.map((session) => {
    if (session.series === undefined || session.series.length === 0) return undefined;
    const recorded = stepsOf(session);
    const basis = basisOf(session, replayed);
    const facts = factsOf(recorded, basis);
    all.push(facts);
    return { ...runAll(session, recorded, basis, options), basis, assumptions: assumptionsOf([facts]) };
  });
  return {
    sessions: compared,
    totals: totalsOf(
      compared.flatMap((session) => session ?? []),
      all,
      options,
    ),
  };
}

function runAll(
  session: SessionSummary,
  recorded: RecordedSteps,
  basis: Basis,
  options: CompareOptions,
): Pick<SessionWhatIf, 'actual' | 'policies' | 'best'> {
  const { prices, withCurves } = options;
  const shown = ({ curve, ...run }: WhatIfRun): WhatIfRun =>
    withCurves && curve !== undefined ? { ...run, curve } : run;
  const { tokens } = session.window;
  const actual = simulate(recorded, recordedPilot(recorded, basis, tokens), { window: tokens, prices: [prices] });
  const policies = options.policies.map((whatIf) => {
    const window = whatIf.policy.window ?? tokens;
    const trigger = triggerOf(whatIf, window, session.claudeCodeVersion);
    const pilot = policyPilot({ whatIf, window, trigger, basis });
    const run = simulate(recorded, pilot, { window, prices: [whatIf.policy.cost.prices, prices] });
    return shown({ name: whatIf.name, trigger: trigger.at ?? (trigger.reacts ? window : null), ...run });
  });
  return { actual: shown({ name: ACTUAL, trigger: null, ...actual }), policies, best: bestOf(policies.map(candidate)) };
}

function candidate({ name, figures, exhaustedAfter }: WhatIfRun) {
  return { name, figures, meanPeak: figures.peak, exhausted: exhaustedAfter === null ? 0 : 1 };
}

function totalsOf(
  sessions: readonly SessionWhatIf[],
  facts: readonly Facts[],
  { policies }: CompareOptions,
): WhatIfTotals {
  const totals = policies.map(({ name }, at) =>
    totalOf(
      name,
      sessions.flatMap((session) => session.policies[at] ?? []),
    ),
  );
  return {
    sessions: sessions.length,
    actual: totalOf(
      ACTUAL,
      sessions.map(({ actual }) => actual),
    ),
    policies: totals,
    best: bestOf(totals),
    assumptions: assumptionsOf(facts),
  };
}

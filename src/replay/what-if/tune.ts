import type { Prices } from '../../core/governor/cost/prices.ts';
import { inTokens } from '../../core/governor/policy.ts';
import type { SessionSummary } from '../summary.ts';
import { assumptionsOf } from './basis.ts';
import { comparePolicies, usdOf } from './compare.ts';
import { sumOf } from './simulate.ts';
import { isExact, type SessionWhatIf, type WhatIfPolicy, type WhatIfRun } from './what-if.ts';

/** Fewer say too little about the sessions to come. */
const LEAST_SESSIONS = 20;

/** The simulation itself was 5% off on a job that was run both ways (docs/what-if.md): a smaller gain can't be told. */
const LEAST_SAVING = 0.05;

/** A policy to try: what a configuration would say, and what comes of it. */
export interface Candidate {
  readonly levels: Levels;
  readonly whatIf: WhatIfPolicy;
}

/** Keys of a configuration that are tuned. */
export type LevelKey = 'thresholds.compact' | 'thresholds.midTurn';
export type Levels = Readonly<Partial<Record<LevelKey, number | string>>>;

/** What is found to be better than what is in force, or why nothing is. */
export interface Tuning {
  /** Sessions that can be judged: of a known window and price, and no copies of others. */
  readonly sessions: number;
  readonly leftOut: number;
  readonly tried: number;
  /** What the levels would be; null: nothing is proposed. */
  readonly proposal: Levels | null;
  /** `few`: too few sessions. `cheapest`: what is in force is. `small`, `varies`: the gain, or its spread, forbids it. */
  readonly verdict: 'proposed' | 'few' | 'cheapest' | 'small' | 'varies';
  /** What cost least in the sessions that chose; null: there were too few, or nothing was cheaper. */
  readonly best: Levels | null;
  /** The half that chose. */
  readonly chosen: HalfFigures | null;
  /** The other half. */
  readonly judged: (HalfFigures & Judgement) | null;
  readonly assumptions: readonly string[];
}

export type HalfFigures = Readonly<ReturnType<typeof figuresOf>>;

type Judgement = Readonly<ReturnType<typeof judgementOf>>;

/**
 * Finds levels that would have cost less. One half of the sessions chooses, the other half judges the choice. Deterministic.
 *
 * @param sessions with their series
 * @param inForce what the configuration says now
 */
export function tune(
  sessions: readonly SessionSummary[],
  inForce: WhatIfPolicy,
  { candidates, prices }: { readonly candidates: readonly Candidate[]; readonly prices: Prices },
): Tuning {
  const known = sessions.filter(({ calls }) => calls > 0);
  const told = tellable(known, prices);
  const tuning: Tuning = {
    ...{ sessions: told.length, leftOut: known.length - told.length, tried: candidates.length },
    ...{ proposal: null, verdict: 'few', best: null, chosen: null, judged: null, assumptions: [] },
  };
  if (told.length < LEAST_SESSIONS) return tuning;
  const [choosing, judging] = halves(told);
  const policies = [inForce, ...candidates.map(({ whatIf }) => whatIf)];
  const chosenOn = tried(choosing, policies, prices);
  const at = cheapest(chosenOn, policies);
  const best = candidates[at - 1];
  if (best === undefined) return { ...tuning, verdict: 'cheapest' };
  const judgedOn = tried(judging, [inForce, best.whatIf], prices);
  const judged = { ...figuresOf(judgedOn, 1), ...judgementOf(pairsOf(judgedOn, 1)) };
  const verdict = verdictOf(judged);
  return {
    ...{ ...tuning, verdict, best: best.levels, chosen: figuresOf(chosenOn, at), judged },
    proposal: verdict === 'proposed' ? best.levels : null,
    assumptions: assumptionsOf(judgedOn.map(({ facts }) => facts)),
  };
}

function verdictOf({ saved, interval: [low] }: { readonly saved: number } & Pick<Judgement, 'interval'>) {
  if (saved < LEAST_SAVING) return 'small';
  // The lower half of the spread is not smaller than the gain.
  return low <= 0 ? 'varies' : 'proposed';
}

/** The dearest first. */
function tellable(sessions: readonly SessionSummary[], prices: Prices): SessionSummary[] {
  const own = sessions.filter(({ copied }) => copied === undefined);
  return comparePolicies(own, { policies: [], prices, withCurves: false })
    .flatMap(({ whatIf, ...session }) => {
      const usd = whatIf === undefined ? null : usdOf(whatIf.actual.figures);
      return usd === null ? [] : [{ session, usd, name: session.sessionId ?? session.file }];
    })
    .sort((a, b) => b.usd - a.usd || (a.name < b.name ? -1 : 1))
    .map(({ session }) => session);
}

/** A split stratified by cost: of four neighbours the outer two choose, and the inner two judge. */
function halves<T>(sorted: readonly T[]): [T[], T[]] {
  const isOuter = (_: T, at: number) => at % 4 === 0 || at % 4 === 3;
  return [sorted.filter(isOuter), sorted.filter((one, at) => !isOuter(one, at))];
}

/** A session with its policies, and its window in tokens. */
type Tried = SessionWhatIf & { readonly window: number };

/** Each half knows only its own landings. */
function tried(sessions: readonly SessionSummary[], policies: readonly WhatIfPolicy[], prices: Prices): Tried[] {
  return comparePolicies(sessions, { policies, prices, withCurves: false }).flatMap(({ whatIf, window }) =>
    whatIf === undefined || window.tokens === null ? [] : [{ ...whatIf, window: window.tokens }],
  );
}

/** The number of the policy, the first of equal ones, that fails in no more sessions than the first. */
function cheapest(sessions: readonly Tried[], policies: readonly WhatIfPolicy[]): number {
  const all = policies.map((policy, at) => ({
    at,
    failed: sessions.filter((session) => fails(session, session.policies[at], policy)).length,
    usd: sumOf(sessions.map((session) => costOf(session.policies[at]))),
  }));
  const fit = all.filter(({ failed }) => failed <= (all[0]?.failed ?? 0));
  return fit.reduce((least, one) => (one.usd < least.usd ? one : least)).at;
}

/** The context grows too large, or what a compaction leaves is above where it should land: the next one is due at once. */
function fails({ facts: { basis }, window }: Tried, run: WhatIfRun | undefined, whatIf: WhatIfPolicy): boolean {
  if (run === undefined) return false;
  if (run.exhaustedAfter !== null) return true;
  const { target, moment } = whatIf.policy.compaction;
  const landing = isExact(whatIf) ? basis.fresh + basis.kept.tokens : Math.max(basis.landing.tokens, basis.fresh);
  const isMissed = landing > inTokens(target, window) || (moment !== 'economic' && landing > inTokens(moment, window));
  return isMissed && sumOf(Object.values(run.figures.reliefs)) > 0;
}

/** What half of the sessions cost, in US dollars. */
function figuresOf(sessions: readonly SessionWhatIf[], at: number) {
  const pairs = pairsOf(sessions, at);
  const reliefs = (place: number) =>
    sumOf(sessions.flatMap(({ policies }) => Object.values(policies[place]?.figures.reliefs ?? {})));
  return {
    sessions: sessions.length,
    actualUsd: sumOf(sessions.map(({ actual }) => costOf(actual))),
    inForceUsd: sumOf(pairs.map(([before]) => before)),
    bestUsd: sumOf(pairs.map(([, after]) => after)),
    /** Share of what is in force that the best would have saved. */
    saved: savedBy(pairs),
    /** Compactions and handoffs. */
    reliefs: { inForce: reliefs(0), best: reliefs(at) },
  };
}

/** What a session costs with what is in force, and with something else. */
type Pair = readonly [before: number, after: number];

function pairsOf(sessions: readonly SessionWhatIf[], at: number): Pair[] {
  return sessions.map(({ policies }) => [costOf(policies[0]), costOf(policies[at])]);
}

/** The paired differences' sum, as a share. */
function savedBy(pairs: readonly Pair[]): number {
  const all = sumOf(pairs.map(([before]) => before));
  return all === 0 ? 0 : sumOf(pairs.map(([before, after]) => before - after)) / all;
}

const RESAMPLES = 2_000;

/** The percentile bootstrap over sessions. */
function judgementOf(pairs: readonly Pair[]) {
  const next = createDice();
  const resample = () => pairs.map((): Pair => pairs[Math.floor(next() * pairs.length)] ?? [0, 0]);
  const shares = Array.from({ length: RESAMPLES }, () => savedBy(resample())).sort((a, b) => a - b);
  const quantile = (share: number) => shares[Math.round(share * (RESAMPLES - 1))] ?? 0;
  return {
    /** 95% bootstrap interval of `saved`. */
    interval: [quantile(0.025), quantile(0.975)] as const,
    /** Sessions that the best makes cheaper, and dearer. */
    cheaper: pairs.filter(([before, after]) => after < before).length,
    dearer: pairs.filter(([before, after]) => after > before).length,
  };
}

/** The same numbers from 0 to 1 each time: a linear congruential generator with the constants of Numerical Recipes. */
function createDice(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function costOf(run: WhatIfRun | undefined): number {
  return (run && usdOf(run.figures)) ?? 0;
}

import type { CostPolicy } from '../policy.ts';
import { toMicroUsd, toUsd } from './cost.ts';

/** `run`: for this run. `project`: for all runs of one context folder, in one period. */
export type CostScope = 'run' | 'project';

export type Spending = Readonly<typeof NO_SPENDING>;

export const NO_SPENDING = {
  /** Notices that were given. */
  said: [] as readonly CostNotice[],
  /** Spending of other runs in the period, and of this one before it began, in micro-dollars. */
  others: 0,
  earlier: 0,
  /** Spending of this run before it broke off, in micro-dollars: it is part of the other runs' spending. */
  before: 0,
  /**
   * Expected cost of calls that were under way when claude or ctxb was killed, in micro-dollars: the API got them, and
   * the answers are lost. It counts for limits only.
   */
  lost: 0,
  /** Limits in US dollars that the person has set instead of those that were reached. */
  raised: {} as { readonly [S in CostScope]?: number },
  /**
   * - `wrapping`: the last turn runs.
   */
  phase: 'within' as 'within' | 'wrapping' | 'over',
  /** Whether the time for the run is limited, and up. */
  time: 'unlimited' as 'unlimited' | 'runs' | 'up',
  /** The turn that crossed the limit was interrupted before its end. */
  brokenOff: false,
};

/** Whether a person is asked at a limit: only one who is there. */
export function asksPerson(onLimit: CostPolicy['onLimit'], attended: boolean): boolean {
  return attended && (onLimit === 'ask' || onLimit === 'auto');
}

export interface CostLimits {
  /** Dollars; undefined or 0: no limit. */
  readonly limitUsd: number | undefined;
  readonly projectLimitUsd: number | undefined;
  /** Spending of other runs in the period. */
  readonly othersMicroUsd: number;
  /** Spending of this run before the period began, which is not part of it. */
  readonly earlierMicroUsd?: number;
  /** Cost of calls that were never measured; for the project it is part of `othersMicroUsd`. */
  readonly lostMicroUsd?: number;
  /** Share of a limit at which it is announced, above 0 and up to 1. */
  readonly warnAt: number;
}

/** How far one limit is used up, in micro-dollars. */
interface CostShare<Level = 'none' | 'warn' | 'limit'> {
  readonly scope: CostScope;
  readonly level: Level;
  readonly spent: number;
  readonly limit: number;
}

/** A notice about a limit. With a new limit it may be repeated. */
export type CostNotice = CostShare<'warn' | 'limit'>;

/**
 * Compares what was spent with the limits. `level`: where the run stands by the limit that is `nearest`; it stays `limit`
 * until the limit is raised. `news`: what has not been said yet, in order; also who goes past a limit at once is warned
 * first.
 *
 * @param spent micro-dollars of this run
 * @param said what the judgement before returned as `said`; empty at the start
 */
export function judgeCost(spent: number, limits: CostLimits, said: readonly CostNotice[]) {
  const shares = sharesOf(spent, limits);
  const [nearest] = shares;
  const news = shares.flatMap(noticesOf).filter((notice) => !said.some((past) => isSame(past, notice)));
  return { level: nearest?.level ?? 'none', nearest, news, said: news.length === 0 ? said : [...said, ...news] };
}

/** Room above a limit for the last turn: a share of the limit, at least `leastUsd`, enough for a few calls. */
const HEADROOM = { share: 0.2, leastUsd: 0.2 };

/** The upper bound for the last turn, in US dollars. */
export function withHeadroom(limitUsd: number): number {
  return limitUsd + Math.max(limitUsd * HEADROOM.share, HEADROOM.leastUsd);
}

/** Whether the last turn has used up its room above a limit. @param spent micro-dollars of this run */
export function isRoomUsedUp(spent: number, limits: CostLimits): boolean {
  return sharesOf(spent, limits).some((share) => share.spent >= toMicroUsd(withHeadroom(toUsd(share.limit))));
}

/** The nearest first; of two that are equally near, the run's own. */
function sharesOf(spent: number, limits: CostLimits): CostShare[] {
  const inPeriod = spent - (limits.earlierMicroUsd ?? 0) + limits.othersMicroUsd;
  const run = shareOf('run', spent + (limits.lostMicroUsd ?? 0), limits.limitUsd, limits.warnAt);
  const project = shareOf('project', inPeriod, limits.projectLimitUsd, limits.warnAt);
  return [...run, ...project].sort((a, b) => b.spent / b.limit - a.spent / a.limit);
}

function shareOf(scope: CostScope, spent: number, limitUsd: number | undefined, warnAt: number): CostShare[] {
  const limit = toMicroUsd(limitUsd ?? 0);
  if (limit <= 0) return [];
  // Whole micro-dollars like the sums: in binary fractions of dollars, 0.8 of 3.00 is more than 2.40.
  const warnFrom = Math.round(limit * warnAt);
  const level = spent >= limit ? 'limit' : spent >= warnFrom ? 'warn' : 'none';
  return [{ scope, level, spent, limit }];
}

function noticesOf(share: CostShare): CostNotice[] {
  if (share.level === 'none') return [];
  const warning = { ...share, level: 'warn' as const };
  return share.level === 'warn' ? [warning] : [warning, { ...share, level: 'limit' }];
}

function isSame(a: CostNotice, b: CostNotice): boolean {
  return a.scope === b.scope && a.level === b.level && a.limit === b.limit;
}

import { toMicroUsd } from './cost.ts';

/** `run`: for this run. `project`: for all runs of one context folder, in one period. */
export type CostScope = 'run' | 'project';

export interface CostLimits {
  /** Dollars; undefined or 0: none. */
  readonly limitUsd: number | undefined;
  /** Dollars; undefined or 0: none. */
  readonly projectLimitUsd: number | undefined;
  /** What other runs have spent in the period. */
  readonly othersMicroUsd: number;
  /** What this run spent before the period began, which is not in it. Default 0. */
  readonly earlierMicroUsd?: number;
  /** Share of a limit at which it is announced, above 0 and up to 1. */
  readonly warnAt: number;
}

/** How far one limit is used up, in micro-dollars. */
export interface CostShare {
  readonly scope: CostScope;
  readonly level: CostLevel;
  readonly spent: number;
  readonly limit: number;
}

export type CostLevel = 'none' | 'warn' | 'limit';

/** Something to be said about a limit. With a new limit it may be said again. */
export interface CostNotice extends CostShare {
  readonly level: 'warn' | 'limit';
}

export interface CostJudgement {
  /** Where the run stands now, by the limit it is nearest to: it stays `limit` until the limit is raised. */
  readonly level: CostLevel;
  /** That limit; undefined without limits. */
  readonly nearest: CostShare | undefined;
  /** What has not been said yet, in order; also who goes past a limit at once is warned first. */
  readonly news: readonly CostNotice[];
  /** What has been said, the news included: `said` of the next judgement. */
  readonly said: readonly CostNotice[];
}

/**
 * Compares what was spent with the limits.
 *
 * @param spent micro-dollars of this run
 * @param said what the judgement before returned as `said`; empty at the start
 */
export function judgeCost(spent: number, limits: CostLimits, said: readonly CostNotice[]): CostJudgement {
  const shares = sharesOf(spent, limits);
  const [nearest] = shares;
  const news = shares.flatMap(noticesOf).filter((notice) => !said.some((past) => isSame(past, notice)));
  return { level: nearest?.level ?? 'none', nearest, news, said: news.length === 0 ? said : [...said, ...news] };
}

/** The nearest first; of two that are equally near, the run's own. */
function sharesOf(spent: number, limits: CostLimits): CostShare[] {
  const inPeriod = spent - (limits.earlierMicroUsd ?? 0) + limits.othersMicroUsd;
  const run = shareOf('run', spent, limits.limitUsd, limits.warnAt);
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

import type { CostPolicy } from '../policy.ts';
import { toMicroUsd, toUsd } from './cost.ts';

/** `run`: this run. `project`: all runs with the same context folder in one period. */
export type CostScope = 'run' | 'project';

export type Spending = Readonly<typeof NO_SPENDING>;

export const NO_SPENDING = {
  said: [] as readonly CostNotice[],
  /** Costs of other runs in the period, less those of this run before the period began, in micro-dollars. */
  others: 0,
  /** Costs of this run before it was interrupted, in micro-dollars. They are part of `others`. */
  before: 0,
  /**
   * Expected cost of calls that were running when claude or ctxb was killed, in micro-dollars. The API has received
   * them, and their answers are lost. Counts only for limits.
   */
  lost: 0,
  /** Higher limits that the user has set after reaching one, in US dollars. */
  raised: {} as { readonly [S in CostScope]?: number | undefined },
  /** `wrapping`: the last turn is running. */
  phase: 'within' as 'within' | 'wrapping' | 'over',
  /** Whether the time limit of the run is reached. */
  isTimeUp: false,
  /** Whether the turn that crossed the limit was interrupted before its end. */
  isCutShort: false,
};

export function asksPerson(onLimit: CostPolicy['onLimit'], attended: boolean): boolean {
  return attended && (onLimit === 'ask' || onLimit === 'auto');
}

/** Costs, and the limit that they count for. */
export interface LimitedCost {
  readonly scope: CostScope;
  /** Micro-dollars. */
  readonly spent: number;
  /** US dollars; undefined or 0: no limit. */
  readonly limitUsd: number | undefined;
}

/** The used share of one limit, in micro-dollars. */
interface CostShare<Level = 'none' | 'warn' | 'limit'> {
  readonly scope: CostScope;
  readonly level: Level;
  readonly spent: number;
  readonly limit: number;
}

/** A notice about a limit. Repeated after the user has raised the limit. */
export type CostNotice = CostShare<'warn' | 'limit'>;

/**
 * Compares costs with limits.
 *
 * - `nearest`: the limit with the largest used share.
 * - `level`: its level. `limit` stays until the user raises the limit.
 * - `news`: notices that are new. A run that crosses a limit at once gets the warning first.
 *
 * @param earlier `said` of the previous result; empty at the start
 */
export function judgeCost(costs: readonly LimitedCost[], earlier: readonly CostNotice[]) {
  const shares = sharesOf(costs);
  const [nearest] = shares;
  const isNews = ({ scope, level, limit }: CostNotice) =>
    !earlier.some((past) => past.scope === scope && past.level === level && past.limit === limit);
  const news = shares.flatMap(noticesOf).filter(isNews);
  return { level: nearest?.level ?? 'none', nearest, news, said: news.length === 0 ? earlier : [...earlier, ...news] };
}

/** Extra cost allowed for the last turn: a share of the limit, and at least `leastUsd`, enough for a few calls. */
const HEADROOM = { share: 0.2, leastUsd: 0.2 };

/** The limit plus the extra cost allowed for the last turn, in US dollars. */
export function withHeadroom(limitUsd: number): number {
  return limitUsd + Math.max(limitUsd * HEADROOM.share, HEADROOM.leastUsd);
}

/** Whether costs have reached {@link withHeadroom} of their limit. */
export function exceedsHeadroom(costs: readonly LimitedCost[]): boolean {
  return sharesOf(costs).some((share) => share.spent >= toMicroUsd(withHeadroom(toUsd(share.limit))));
}

/** The used shares of the limits, largest first; of equal ones, the first in `costs`. */
function sharesOf(costs: readonly LimitedCost[]): CostShare[] {
  return costs.flatMap(shareOf).sort((a, b) => b.spent / b.limit - a.spent / a.limit);
}

/** Share of a limit at which ctxb warns. The rest is enough to wrap up. */
const WARN_AT = 0.8;

function shareOf({ scope, spent, limitUsd = 0 }: LimitedCost): CostShare[] {
  const limit = toMicroUsd(limitUsd);
  if (limit <= 0) return [];
  // Rounded to micro-dollars like the sums: in floating point, 0.8 × 3.00 is more than 2.40.
  const warnFrom = Math.round(limit * WARN_AT);
  const level = spent >= limit ? 'limit' : spent >= warnFrom ? 'warn' : 'none';
  return [{ scope, level, spent, limit }];
}

function noticesOf(share: CostShare): CostNotice[] {
  if (share.level === 'none') return [];
  const warning = { ...share, level: 'warn' as const };
  return share.level === 'warn' ? [warning] : [warning, { ...share, level: 'limit' }];
}

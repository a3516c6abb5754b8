import type { CostPolicy } from '../governor/policy.ts';

/** Room above a limit for the last turn: a share of it, and at least so many dollars, as it may be a few calls. */
const HEADROOM = { share: 0.2, leastUsd: 0.2 };

/**
 * claude's own stop for a limit of cost, as its arguments. It acts at the call that crosses, also where ctxb's own
 * count is behind; after it that process takes no further prompt, so that a last turn needs room above the limit, and
 * a person who may raise the limit can have none.
 *
 * @param spentUsd what the run has cost before this process
 */
export function budgetArguments({ limitUsd, onLimit }: CostPolicy, attended: boolean, spentUsd: number): string[] {
  if (limitUsd === undefined || asksPerson({ onLimit }, attended)) return [];
  const hard = onLimit === 'stop' ? limitUsd : limitUsd + Math.max(limitUsd * HEADROOM.share, HEADROOM.leastUsd);
  // claude refuses a budget of nothing.
  return ['--max-budget-usd', Math.max(hard - spentUsd, 0.0001).toFixed(6)];
}

/** Whether a person is asked at a limit. */
export function asksPerson({ onLimit }: Pick<CostPolicy, 'onLimit'>, attended: boolean): boolean {
  return onLimit === 'ask' || (onLimit === 'auto' && attended);
}

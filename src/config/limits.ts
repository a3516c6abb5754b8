import { RANKS } from './config.ts';
import { finding, shown } from './finding.ts';
import type { KeyPath } from './keys.ts';
import type { SetValue } from './resolve-config.ts';
import { normalize } from './schema.ts';

/** Keys that limit spending, including time. */
export const LIMITS = [
  'cost.limitUsd',
  'cost.projectLimitUsd',
  'limits.time',
  'agents.max',
  'agents.tokens',
  'agents.costUsd',
] as const satisfies readonly KeyPath[];

/**
 * Prevents a file that may come with a repository from lifting limits that the user set elsewhere: ignores its
 * `observe`, and applies the lower of two limits.
 *
 * @param all valid values, from the lowest source to the highest
 */
export function withoutLifting(all: readonly SetValue[]) {
  const limit = all.findLast((value) => isLimit(value) && RANKS[value.origin.source] > RANKS.file);
  // observe disables all limits.
  const lifts = ({ key, value, origin }: SetValue) =>
    limit !== undefined && key === 'observe' && value === true && origin.source === 'file';
  const values = all.filter((value) => !lifts(value) && !isLoose(value, all));
  const warnings = all.filter(lifts).map(({ key, value, origin }) =>
    finding(key, {
      expected: `nothing that lifts ${limit?.key} (${limit?.origin.where ?? limit?.origin.source})`,
      found: shown(value),
      origin,
      todo: 'it is ignored; --observe or CTXB_OBSERVE may say it',
    }),
  );
  return { values, warnings };
}

function isLimit({ key }: SetValue): boolean {
  return LIMITS.some((limit) => limit === key);
}

/** Whether a limit in the user's file is overridden by a lower one in the nearer file. */
function isLoose(value: SetValue, all: readonly SetValue[]): boolean {
  if (!isLimit(value) || value.origin.source !== 'user') return false;
  return all.some(({ key, origin, value: other }) => {
    return key === value.key && origin.source === 'file' && bound(key, other) < bound(key, value.value);
  });
}

/** The limit as a number; a time of 0 means no limit. */
function bound(key: string, value: unknown): number {
  const limit = Number(normalize(key, value));
  return key === 'limits.time' && limit === 0 ? Number.POSITIVE_INFINITY : limit;
}

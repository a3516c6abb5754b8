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
 * Keeps a file that may come with a repository from lifting limits that the user set elsewhere. Ignores its `observe`,
 * and applies the lower of two limits. The returned values are valid, and those of the highest source come last.
 */
export function keepLimits(all: readonly SetValue[]) {
  const tight = all.filter((value) => !isLoose(value, all));
  const limit = all.findLast((value) => isLimit(value) && RANKS[value.origin.source] > RANKS.file);
  if (limit === undefined) return { values: tight, warnings: [] };
  // observe disables all limits.
  const isLifting = ({ key, value, origin }: SetValue) =>
    key === 'observe' && value === true && origin.source === 'file';
  const expected = `nothing that lifts ${limit.key} (${limit.origin.where ?? limit.origin.source})`;
  const todo = 'it is ignored; --observe or CTXB_OBSERVE may say it';
  return {
    values: tight.filter((value) => !isLifting(value)),
    warnings: all
      .filter(isLifting)
      .map(({ key, value, origin }) => finding(key, { expected, found: shown(value), origin, todo })),
  };
}

function isLimit({ key }: SetValue): boolean {
  return LIMITS.some((limit) => limit === key);
}

/** Whether the user's limit is overridden by a lower one in the nearer file. */
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

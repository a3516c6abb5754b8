import { SOURCE_RANKS } from './config.ts';
import { displayed, finding } from './finding.ts';
import type { KeyPath } from './keys.ts';
import type { SetValue } from './resolve-config.ts';
import { readValue } from './schema.ts';

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
  const limit = all.findLast(({ key, origin }) => isLimit(key) && SOURCE_RANKS[origin.source] > SOURCE_RANKS.file);
  // Every source above a file has a name: a file, a variable or an option.
  const subject = limit && `${limit.key} (${limit.origin.where})`;
  const ignored = subject === undefined ? [] : all.filter(liftsLimits);
  const expected = `nothing that lifts ${subject}`;
  const todo = 'it is ignored; --observe or CTXB_OBSERVE may say it';
  return {
    values: all.filter((value) => !ignored.includes(value) && !isLoose(value, all)),
    warnings: ignored.map(({ key, value, origin }) =>
      finding(key, { expected, found: displayed(value), origin, todo }),
    ),
  };
}

/** Whether a file disables all limits. */
function liftsLimits({ key, value, origin }: SetValue): boolean {
  return key === 'observe' && value === true && origin.source === 'file';
}

function isLimit(key: string): boolean {
  return LIMITS.some((limit) => limit === key);
}

/** Whether the user's limit is overridden by a lower one in the nearer file. */
function isLoose({ key, value, origin }: SetValue, all: readonly SetValue[]): boolean {
  return (
    isLimit(key) &&
    origin.source === 'user' &&
    all.some((other) => other.key === key && other.origin.source === 'file' && bound(other) < bound({ key, value }))
  );
}

/** The limit as a number; a time of 0 means no limit. */
function bound({ key, value }: Pick<SetValue, 'key' | 'value'>): number {
  const limit = Number(readValue(key, value).setting);
  return key === 'limits.time' && limit === 0 ? Number.POSITIVE_INFINITY : limit;
}

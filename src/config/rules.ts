import { existsSync, realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { inTokens, LEAST_NATIVE_WINDOW, NATIVE_RESERVE_TOKENS } from '../core/governor/policy.ts';
import { type Config, type Finding, type Origin, valueAt } from './config.ts';
import { finding } from './finding.ts';
import type { KeyPath } from './keys.ts';

/** What must hold between keys. Thresholds in different units are compared only when the window is known. */
export function checkRules(config: Config, origins: Readonly<Record<KeyPath, Origin>>): Finding[] {
  const { thresholds, compaction, window } = config;
  return [
    ...inOrder('thresholds.warn', 'thresholds.compact'),
    ...inOrder(compaction.enabled ? 'thresholds.compact' : 'thresholds.warn', 'thresholds.handoff'),
    ...inOrder('thresholds.compact', 'thresholds.midTurn'),
    ...inOrder('compaction.target', 'thresholds.compact'),
    ...belowNativeTrigger(),
    ...inOrder('tools.warnBelow', 'tiers.total'),
    ...inOrder('tiers.history', 'tiers.total'),
  ];

  function inOrder(lower: KeyPath, upper: KeyPath): Finding[] {
    const [low, high] = [Number(valueAt(config, lower)), Number(valueAt(config, upper))];
    if (isBelow(low, high, window) !== false) return [];
    return [
      finding(lower, {
        expected: `less than ${upper} (${high})`,
        found: String(low),
        origin: origins[lower],
        todo: `lower it or raise ${upper}`,
      }),
    ];
  }

  function belowNativeTrigger(): Finding[] {
    const key = 'thresholds.compact';
    // A default that cannot fire is nobody's mistake: then only mid-turn compactions happen.
    if (window === undefined || window < LEAST_NATIVE_WINDOW || origins[key].source === 'default') return [];
    const highest = window - NATIVE_RESERVE_TOKENS;
    if (inTokens(thresholds.compact, window) <= highest) return [];
    const fraction = Math.floor((highest / window) * 1000) / 1000;
    return [
      finding(key, {
        expected: `at most ${fraction} of the window of ${window} tokens (${highest} tokens)`,
        found: String(thresholds.compact),
        origin: origins[key],
        todo: `claude compacts by itself ${NATIVE_RESERVE_TOKENS} tokens below its window, so this would never happen: lower it`,
      }),
    ];
  }
}

/**
 * Whether a threshold lies below another; undefined when one is a fraction and the other tokens, and the window that
 * would relate them is not known.
 */
export function isBelow(lower: number, upper: number, window: number | undefined): boolean | undefined {
  if (window !== undefined) return inTokens(lower, window) < inTokens(upper, window);
  return lower <= 1 === upper <= 1 ? lower < upper : undefined;
}

/**
 * A configuration file may come with somebody else's repository: where it says that files are to go is inside of the
 * folder that it is in. A flag or a variable may say any place.
 */
export function keepInside(config: Config, origins: Readonly<Record<KeyPath, Origin>>, cwd: string): Finding[] {
  const origin = origins.contextDir;
  if (origin.source !== 'file' || origin.where === undefined) return [];
  const folder = dirname(origin.where);
  const inside = relative(real(folder), real(resolve(cwd, config.contextDir)));
  if (inside !== '' && inside !== '..' && !inside.startsWith(`..${sep}`)) return [];
  return [
    finding('contextDir', {
      expected: `a folder inside of ${folder}`,
      found: JSON.stringify(config.contextDir),
      origin,
      todo: 'a place elsewhere is yours to say, with --context-dir or CTXB_CONTEXT_DIR',
    }),
  ];
}

/** Links on the way resolved, as far as there is something. */
function real(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : resolve(real(parent), relative(parent, path));
}

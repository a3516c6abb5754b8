import { inTokens, LEAST_NATIVE_WINDOW, NATIVE_RESERVE_TOKENS } from '../governor/policy.ts';
import type { Config, Finding, KeyPath, Origin } from './config.ts';
import { finding } from './finding.ts';
import { isBelow } from './is-below.ts';
import { valueAt } from './key-path.ts';

/** Fractions have been added up, which may differ in the last digit. */
function exceeds(sum: number, total: number): boolean {
  return sum > total * (1 + Number.EPSILON * 8);
}

/** What must hold between keys. Thresholds in different units are compared only when the window is known. */
export function checkRules(config: Config, origins: Readonly<Record<KeyPath, Origin>>): Finding[] {
  const { thresholds, compaction, tools, tiers, window } = config;
  return [
    ...inOrder('zones.monitor', 'zones.warning'),
    ...inOrder('zones.warning', 'thresholds.warn'),
    ...inOrder('thresholds.warn', 'thresholds.compact'),
    ...inOrder(compaction.enabled ? 'thresholds.compact' : 'thresholds.warn', 'thresholds.handoff'),
    ...inOrder('thresholds.compact', 'thresholds.midTurn'),
    ...inOrder('compaction.target', 'thresholds.compact'),
    ...belowNativeTrigger(),
    ...inOrder('tools.criticalBelow', 'tools.warnBelow'),
    ...inOrder('tools.warnBelow', 'tiers.total'),
    ...leastWithinMost(),
    ...roomInTotal(),
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

  function leastWithinMost(): Finding[] {
    const { minTokens, perCall } = tools;
    // `minTokens` is never a fraction, not even 1; beside a fraction of an unknown window anything is right.
    if (minTokens <= inTokens(perCall, window ?? Number.POSITIVE_INFINITY)) return [];
    return [
      finding('tools.minTokens', {
        expected: `at most tools.perCall (${perCall})`,
        found: String(minTokens),
        origin: origins['tools.minTokens'],
        todo: 'lower it or raise tools.perCall',
      }),
    ];
  }

  function roomInTotal(): Finding[] {
    const { total, ...parts } = tiers;
    const size = (part: number) => (window === undefined ? part : inTokens(part, window));
    const comparable = Object.values(parts).every((part) => isBelow(part, total, window) !== undefined);
    const sum = Object.values(parts).reduce((all, part) => all + size(part), 0);
    if (!comparable || !exceeds(sum, size(total))) return [];
    return [
      finding('tiers.total', {
        expected: `at least as much as the other tiers together (${sum})`,
        found: String(total),
        origin: origins['tiers.total'],
        todo: 'raise it or lower one of them',
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

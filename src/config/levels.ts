import { inTokens, MIN_NATIVE_WINDOW, NATIVE_RESERVE_TOKENS } from '../core/governor/policy.ts';
import { type Config, type ConfigPath, type Finding, valueAt } from './config.ts';
import { DEFAULTS, withValues } from './defaults.ts';
import { finding } from './finding.ts';
import type { KeyPath } from './keys.ts';
import type { ResolvedConfig } from './resolve-config.ts';

/** Adapts defaults to the levels that the user set: a lowered compaction level also lowers the default warning. */
export function adaptToLevels(config: Config, origins: ResolvedConfig['sources']): Config {
  const { window } = config;
  const moved = new Map<ConfigPath, number>();
  const currentLevel = (path: ConfigPath) => moved.get(path) ?? Number(valueAt(config, path));
  // Paths that are not keys always have their default.
  const isDefault = (path: ConfigPath) =>
    (origins[path as KeyPath]?.source ?? 'default') === 'default' ||
    (path === 'thresholds.compact' && config.compaction.moment === 'economic');
  const isInPlace = (path: ConfigPath, upper: ConfigPath) =>
    isBelow(currentLevel(path), currentLevel(upper), window) !== false;

  if (config.compaction.enabled) placeRelief();
  keepBelow('thresholds.warn', 'thresholds.compact');
  keepBelow('thresholds.warn', 'thresholds.handoff');
  keepBelow('compaction.target', 'thresholds.compact');
  keepBelow('zones.warning', 'thresholds.warn');
  keepBelow('zones.monitor', 'zones.warning');
  keepBelow('tools.warnBelow', 'tiers.total');
  keepBelow('tools.criticalBelow', 'tools.warnBelow');
  moved.set(
    'tools.minTokens',
    Math.min(currentLevel('tools.minTokens'), inTokens(currentLevel('tools.perCall'), window)),
  );
  const isForFiles = !isDefault('tools.perCall') && origins['tools.Read'] === undefined;
  return withValues(config, isForFiles ? [...moved, ['tools.Read', currentLevel('tools.perCall')]] : moved);

  /** Lowers a default that is not below the other level, to the same ratio as between the two defaults. */
  function keepBelow(path: ConfigPath, upper: ConfigPath): void {
    if (!isDefault(path) || isInPlace(path, upper)) return;
    moved.set(path, roundLevel((defaultLevel(path) * currentLevel(upper)) / defaultLevel(upper), currentLevel(upper)));
  }

  /** Keeps a default compaction level below a handoff level that was set, or else a default handoff level above it. */
  function placeRelief(): void {
    keepBelow('thresholds.compact', 'thresholds.midTurn');
    keepBelow('thresholds.handoff', 'thresholds.midTurn');
    if (!isDefault('thresholds.handoff')) keepBelow('thresholds.compact', 'thresholds.handoff');
    else if (!isInPlace('thresholds.compact', 'thresholds.handoff')) {
      moved.set('thresholds.handoff', levelAbove(currentLevel('thresholds.compact'), window));
    }
  }
}

function defaultLevel(path: ConfigPath): number {
  return Number(valueAt(DEFAULTS, path));
}

function roundLevel(level: number, other: number): number {
  return other <= 1 ? thousandths(level) : Math.floor(level);
}

/** The handoff level that divides the room above the compaction level in the same ratio as the defaults do. */
function levelAbove(compact: number, window: number | undefined): number {
  const fraction = compact <= 1 || window === undefined ? compact : compact / window;
  if (fraction >= 1) return defaultLevel('thresholds.handoff');
  const part = (1 - defaultLevel('thresholds.handoff')) / (1 - defaultLevel('thresholds.compact'));
  return thousandths(1 - part * (1 - fraction));
}

function thousandths(fraction: number): number {
  return Math.round(fraction * 1000) / 1000;
}

/** Checks keys against each other. Compares levels in different units only if the window is known. */
export function checkLevels(config: Config, origins: ResolvedConfig['sources']): Finding[] {
  const { thresholds, compaction, window } = config;
  return [
    ...checkOrder('thresholds.warn', 'thresholds.compact'),
    ...checkOrder(compaction.enabled ? 'thresholds.compact' : 'thresholds.warn', 'thresholds.handoff'),
    ...checkOrder('thresholds.compact', 'thresholds.midTurn'),
    ...checkOrder('compaction.target', 'thresholds.compact'),
    ...belowNativeTrigger(),
  ];

  function checkOrder(lower: KeyPath, upper: KeyPath): Finding[] {
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
    // A default that cannot trigger is not a mistake: then only mid-turn compactions happen.
    if (window === undefined || window < MIN_NATIVE_WINDOW || origins[key].source === 'default') return [];
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
 * Whether one level is below another; undefined if one is a fraction, the other is in tokens, and the window is
 * unknown.
 */
function isBelow(lower: number, upper: number, window: number | undefined): boolean | undefined {
  if (window !== undefined) return inTokens(lower, window) < inTokens(upper, window);
  return lower <= 1 === upper <= 1 ? lower < upper : undefined;
}

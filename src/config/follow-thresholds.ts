import type { Config, KeyPath, Origin } from './config.ts';
import { DEFAULTS } from './defaults.ts';
import { isBelow } from './is-below.ts';

/** A threshold as it is, and as it is by default. */
interface Level {
  readonly value: number;
  readonly usual: number;
}

type IsDefault = (key: KeyPath) => boolean;

const { thresholds: USUAL, compaction: USUAL_COMPACTION, zones: USUAL_ZONES } = DEFAULTS;

/**
 * Defaults keep their place beside the thresholds that somebody set: who only says when to compact must not be told
 * that the default warning comes too late for it.
 */
export function followThresholds(config: Config, origins: Readonly<Record<KeyPath, Origin>>): Config {
  const { window, thresholds, compaction, zones } = config;
  const isDefault: IsDefault = (key) => origins[key].source === 'default';
  const below = (key: KeyPath, level: Level, upper: Level): Level =>
    isDefault(key) && isBelow(level.value, upper.value, window) === false ? scaled(level, upper) : level;

  const { compact, handoff } = compaction.enabled ? levelsOfRelief(config, isDefault) : thresholds;
  const first = { value: compact, usual: USUAL.compact };
  const early = below('thresholds.warn', { value: thresholds.warn, usual: USUAL.warn }, first);
  const warn = below('thresholds.warn', early, { value: handoff, usual: USUAL.handoff });
  const target = below('compaction.target', { value: compaction.target, usual: USUAL_COMPACTION.target }, first);
  const warning = below('zones.warning', { value: zones.warning, usual: USUAL_ZONES.warning }, warn);
  const monitor = below('zones.monitor', { value: zones.monitor, usual: USUAL_ZONES.monitor }, warning);
  return {
    ...config,
    thresholds: { ...thresholds, warn: warn.value, compact, handoff },
    compaction: { ...compaction, target: target.value },
    zones: { ...zones, warning: warning.value, monitor: monitor.value },
  };
}

/** The default compaction keeps below a handoff that somebody set, the default handoff above such a compaction. */
function levelsOfRelief({ window, thresholds }: Config, isDefault: IsDefault): { compact: number; handoff: number } {
  const { compact, handoff } = thresholds;
  if (isBelow(compact, handoff, window) !== false) return thresholds;
  if (isDefault('thresholds.handoff')) return { compact, handoff: above(compact, window) };
  if (!isDefault('thresholds.compact')) return thresholds;
  const lowered = scaled({ value: compact, usual: USUAL.compact }, { value: handoff, usual: USUAL.handoff });
  return { compact: lowered.value, handoff };
}

/** The level at its usual part of the upper one, in the unit of that. */
function scaled({ usual }: Level, upper: Level): Level {
  const value = (usual / upper.usual) * upper.value;
  return { value: upper.value <= 1 ? thousandths(value) : Math.floor(value), usual };
}

/** The handoff at its usual part of the room that is left above the compaction. */
function above(compact: number, window: number | undefined): number {
  const fraction = compact <= 1 || window === undefined ? compact : compact / window;
  if (fraction >= 1) return USUAL.handoff;
  return thousandths(1 - ((1 - USUAL.handoff) / (1 - USUAL.compact)) * (1 - fraction));
}

function thousandths(fraction: number): number {
  return Math.round(fraction * 1000) / 1000;
}

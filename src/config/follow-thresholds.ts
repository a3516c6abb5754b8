import { inTokens, type Tiers, type ToolsPolicy } from '../core/governor/policy.ts';
import type { Config, ConfigPath, Origin } from './config.ts';
import { DEFAULTS } from './defaults.ts';
import type { KeyPath } from './keys.ts';
import { isBelow } from './rules.ts';

/** A threshold as it is, and as it is by default. */
interface Level {
  readonly value: number;
  readonly usual: number;
}

/** Where the context is relieved between two turns. */
type Relief = Pick<Config['thresholds'], 'compact' | 'handoff'>;

type IsDefault = (path: ConfigPath) => boolean;

/** The level, moved below the upper one where it is a default that does not lie there. */
type Below = (path: ConfigPath, level: Level, upper: Level) => Level;

const { thresholds: USUAL, compaction: USUAL_COMPACTION, zones: USUAL_ZONES } = DEFAULTS;
const { tools: USUAL_TOOLS, tiers: USUAL_TIERS } = DEFAULTS;

/**
 * Defaults keep their place beside the levels that somebody set: who only says when to compact must not be told that
 * the default warning comes too late for it.
 */
export function followThresholds(config: Config, origins: Readonly<Partial<Record<KeyPath, Origin>>>): Config {
  const { window, thresholds, compaction, zones } = config;
  // What is no key is as it always is.
  const isDefault: IsDefault = (path) => (origins[path as KeyPath]?.source ?? 'default') === 'default';
  const below: Below = (path, level, upper) =>
    isDefault(path) && isBelow(level.value, upper.value, window) === false ? scaled(level, upper) : level;

  const midTurn = { value: thresholds.midTurn, usual: USUAL.midTurn };
  const inTurn = {
    compact: below('thresholds.compact', { value: thresholds.compact, usual: USUAL.compact }, midTurn).value,
    handoff: below('thresholds.handoff', { value: thresholds.handoff, usual: USUAL.handoff }, midTurn).value,
  };
  const { compact, handoff } = compaction.enabled ? levelsOfRelief(window, inTurn, isDefault) : thresholds;
  const first = { value: compact, usual: USUAL.compact };
  const early = below('thresholds.warn', { value: thresholds.warn, usual: USUAL.warn }, first);
  const warn = below('thresholds.warn', early, { value: handoff, usual: USUAL.handoff });
  const target = below('compaction.target', { value: compaction.target, usual: USUAL_COMPACTION.target }, first);
  const warning = below('zones.warning', { value: zones.warning, usual: USUAL_ZONES.warning }, warn);
  const monitor = below('zones.monitor', { value: zones.monitor, usual: USUAL_ZONES.monitor }, warning);
  const tiers = tiersWithin(config, isDefault);
  return {
    ...config,
    thresholds: { ...thresholds, warn: warn.value, compact, handoff },
    compaction: { ...compaction, target: target.value },
    zones: { ...zones, warning: warning.value, monitor: monitor.value },
    tiers,
    tools: toolsWithin({ ...config, tiers }, below),
  };
}

/** A larger history takes the default total up; of a total that somebody set, the other tiers share what is left. */
function tiersWithin({ window, tiers }: Config, isDefault: IsDefault): Tiers {
  const { history, total } = tiers;
  const others = USUAL_TIERS.total - USUAL_TIERS.history;
  const isUsual = isDefault('tiers.history');
  if (isDefault('tiers.total')) {
    const needed = inTokens(history, window) + others;
    return Number.isFinite(needed) ? { ...tiers, total: Math.max(total, needed) } : tiers;
  }
  const taken = isUsual ? 0 : inUnitOf(total, history, window);
  if (taken === undefined) return tiers;
  const left = { value: total - taken, usual: isUsual ? USUAL_TIERS.total : others };
  const part = (name: keyof Tiers) => scaled({ value: tiers[name], usual: USUAL_TIERS[name] }, left).value;
  return {
    system: part('system'),
    history: isUsual ? part('history') : history,
    toolResults: part('toolResults'),
    user: part('user'),
    response: part('response'),
    total,
  };
}

/** A size as the other one is said: as a fraction, or in tokens; undefined where that takes a window. */
function inUnitOf(other: number, size: number, window: number | undefined): number | undefined {
  if (size <= 1 === other <= 1) return size;
  if (window === undefined) return undefined;
  return other <= 1 ? size / window : inTokens(size, window);
}

/** The levels of what remains keep below the total, and the least for a result is never more than the most. */
function toolsWithin({ window, tools, tiers }: Config, below: Below): ToolsPolicy {
  const total = { value: tiers.total, usual: USUAL_TIERS.total };
  const warn = below('tools.warnBelow', { value: tools.warnBelow, usual: USUAL_TOOLS.warnBelow }, total);
  const critical = below('tools.criticalBelow', { value: tools.criticalBelow, usual: USUAL_TOOLS.criticalBelow }, warn);
  const perCall = inTokens(tools.perCall, window ?? Number.POSITIVE_INFINITY);
  const minTokens = Math.min(tools.minTokens, perCall);
  return { ...tools, minTokens, warnBelow: warn.value, criticalBelow: critical.value };
}

/** The default compaction keeps below a handoff that somebody set, the default handoff above such a compaction. */
function levelsOfRelief(window: number | undefined, levels: Relief, isDefault: IsDefault): Relief {
  const { compact, handoff } = levels;
  if (isBelow(compact, handoff, window) !== false) return levels;
  if (isDefault('thresholds.handoff')) return { compact, handoff: above(compact, window) };
  if (!isDefault('thresholds.compact')) return levels;
  const lowered = scaled({ value: compact, usual: USUAL.compact }, { value: handoff, usual: USUAL.handoff });
  return { compact: lowered.value, handoff };
}

/** The level at its usual part of the upper one, in the unit of that. */
function scaled({ usual }: Level, upper: Level): Level {
  const value = (usual * upper.value) / upper.usual;
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

import type { Config, KeyPath, Origin } from './config.ts';
import { DEFAULTS } from './defaults.ts';

/**
 * Defaults that lie below `thresholds.compact` follow it down: who only says when to compact must not be told that
 * the default warning comes too late for it.
 */
export function followCompact(config: Config, origins: Readonly<Record<KeyPath, Origin>>): Config {
  const { thresholds, compaction } = config;
  const { compact } = thresholds;
  const follow = (key: KeyPath, value: number, usual: number): number => {
    const mustFollow = origins[key].source === 'default' && compact <= 1 && value >= compact;
    return mustFollow ? Math.round((usual / DEFAULTS.thresholds.compact) * compact * 1000) / 1000 : value;
  };
  const warn = follow('thresholds.warn', thresholds.warn, DEFAULTS.thresholds.warn);
  const target = follow('compaction.target', compaction.target, DEFAULTS.compaction.target);
  return { ...config, thresholds: { ...thresholds, warn }, compaction: { ...compaction, target } };
}

import type { Config } from './config.ts';
import type { Settings } from './schema.ts';

/** Brings checked settings into the one form the program works with: percentages become fractions. */
export function normalise({ $schema: _, ...settings }: Settings): Config {
  const { thresholds, compaction, window, task, state, memory, zones, cost } = settings;
  return {
    ...settings,
    window,
    task,
    state,
    thresholds: {
      warn: share(thresholds.warn),
      compact: share(thresholds.compact),
      handoff: share(thresholds.handoff),
      midTurn: share(thresholds.midTurn),
    },
    memory: { ...memory, statePattern: memory.statePattern, deadEndPattern: memory.deadEndPattern },
    zones: { ...zones, monitor: share(zones.monitor), warning: share(zones.warning) },
    cost: {
      ...cost,
      limitUsd: cost.limitUsd,
      projectLimitUsd: cost.projectLimitUsd,
      warnAt: share(cost.warnAt),
    },
    compaction: { ...compaction, target: share(compaction.target) },
  };
}

/** `"78%"` is 0.78; numbers are what they are. */
function share(value: number | string): number {
  return typeof value === 'number' ? value : Number(value.slice(0, -1)) / 100;
}

import type { Config } from './config.ts';
import type { Settings } from './schema.ts';

/** Brings checked settings into the one form the program works with: percentages become fractions. */
export function normalise({ $schema: _, ...settings }: Settings): Config {
  const { thresholds, compaction, window, task, state, memory } = settings;
  return {
    ...settings,
    window,
    task,
    state,
    thresholds: {
      warn: share(thresholds.warn),
      compact: share(thresholds.compact),
      midTurn: share(thresholds.midTurn),
    },
    memory: { ...memory, statePattern: memory.statePattern, deadEndPattern: memory.deadEndPattern },
    compaction: { ...compaction, target: share(compaction.target) },
  };
}

/** `"78%"` is 0.78; numbers are what they are. */
function share(value: number | string): number {
  return typeof value === 'number' ? value : Number(value.slice(0, -1)) / 100;
}

import { toMicroUsd } from '../governor/cost/cost.ts';
import type { Price } from '../governor/cost/prices.ts';
import type { Config } from './config.ts';
import type { BudgetChanges } from './flow-settings.ts';
import type { Settings } from './schema.ts';

/** Brings checked settings into the one form the program works with: percentages become fractions. */
export function normalise({ $schema: _, ...settings }: Settings): Config {
  const { thresholds, compaction, window, task, state, memory, zones, cost, flow, tiers } = settings;
  const { mode, minTokens, perCall, warnBelow, criticalBelow, ...byTool } = settings.tools;
  return {
    ...settings,
    window,
    task,
    state,
    thresholds: shares(thresholds),
    memory: { ...memory, statePattern: memory.statePattern, deadEndPattern: memory.deadEndPattern },
    zones: { ...zones, monitor: share(zones.monitor), warning: share(zones.warning) },
    cost: {
      ...cost,
      limitUsd: cost.limitUsd,
      projectLimitUsd: cost.projectLimitUsd,
      warnAt: share(cost.warnAt),
      prices: Object.fromEntries(Object.entries(cost.prices).map(([model, rates]) => [model, inMicroUsd(rates)])),
    },
    compaction: { ...compaction, target: share(compaction.target) },
    flow: { ...toBudgets(flow), priorities: flow.priorities },
    tiers: shares(tiers),
    tools: { mode, minTokens, ...shares({ perCall, warnBelow, criticalBelow }), byTool: shares(byTool) },
  };
}

/** What is not said of the prompt cache is what the API takes for it: 1.25, 2 and 0.1 of the input. */
function inMicroUsd({ input, output, cacheWrite, cacheWriteHour, cacheRead }: Rates): Price {
  return {
    input: toMicroUsd(input),
    output: toMicroUsd(output),
    cacheWrite: toMicroUsd(cacheWrite ?? input * 1.25),
    cacheWriteHour: toMicroUsd(cacheWriteHour ?? input * 2),
    cacheRead: toMicroUsd(cacheRead ?? input * 0.1),
  };
}

type Rates = Settings['cost']['prices'][string];

/** Sizes of briefings, of which one may be a percentage of the window. */
export function toBudgets({ contextBudgetTokens, ...sizes }: RawBudgets): BudgetChanges {
  return contextBudgetTokens === undefined ? sizes : { ...sizes, contextBudgetTokens: share(contextBudgetTokens) };
}

/** Budgets as a file has them. */
export type RawBudgets = Omit<BudgetChanges, 'contextBudgetTokens'> & {
  readonly contextBudgetTokens?: number | string;
};

/** `"78%"` is 0.78; numbers are what they are. */
function share(value: number | string): number {
  return typeof value === 'number' ? value : Number(value.slice(0, -1)) / 100;
}

function shares<K extends string>(values: Readonly<Record<K, number | string>>): Record<K, number> {
  const entries = Object.entries<number | string>(values).map(([name, value]) => [name, share(value)]);
  return Object.fromEntries(entries);
}

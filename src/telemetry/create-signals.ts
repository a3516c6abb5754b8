import { totalMicroUsd, toUsd } from '../core/governor/cost/cost.ts';
import { type Decision, nameOf } from '../core/governor/decisions.ts';
import { readGauge } from '../core/governor/gauge/gauge.ts';
import { savedUsd } from '../core/governor/relief/accounts.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { Transition } from '../host/governor-host.ts';

/** Attributes of a metric. They never contain text of the user or the agent, or paths. */
export type Attributes = Readonly<Record<string, string>>;

/** Adds to a counter, or sets a gauge. */
export type Measure = (metric: Metric, value: number, attributes?: Attributes) => void;

export type Metric = keyof typeof INSTRUMENTS;

/** Units are UCUM case-sensitive codes. */
export const INSTRUMENTS = {
  'ctxb.context.tokens': ['gauge', '{token}', 'Size of the next request to the model'],
  'ctxb.context.window': ['gauge', '{token}', 'Size of the context window'],
  'ctxb.context.utilization': ['gauge', '1', 'Share of the context window that the next request takes'],
  'ctxb.cost': ['counter', 'USD', 'What the run has cost, subagents included'],
  'ctxb.saved': ['gauge', 'USD', 'What compacting has saved compared with claude alone; below 0 it has cost more'],
  'ctxb.cache.rewritten': ['counter', '{token}', 'Tokens written to the prompt cache again, by what has changed'],
  'ctxb.decisions': ['counter', '{decision}', 'What was decided, by kind'],
} as const;

export function createSignals(measure: Measure) {
  const last = new Map<Metric, number>();
  let countedCost = 0;
  let hasSaved = false;

  function set(metric: Metric, value: number | undefined): void {
    if (value === undefined || last.get(metric) === value) return;
    last.set(metric, value);
    measure(metric, value);
  }

  function context({ gauge }: GovernorState): void {
    if (gauge.basis === 'none') return;
    const { predicted, window, fraction } = readGauge(gauge);
    set('ctxb.context.tokens', predicted);
    set('ctxb.context.window', window);
    set('ctxb.context.utilization', fraction);
  }

  /**
   * Adds the cost to its counter. A counter must not fall: if claude reports less than was computed, waits until the
   * total is above the sent amount.
   */
  function cost(state: GovernorState): void {
    const total = totalMicroUsd(state.limits.cost);
    if (total > countedCost) measure('ctxb.cost', toUsd(total - countedCost));
    countedCost = Math.max(countedCost, total);
  }

  /** Sends savings from the first one that is not 0. */
  function recordSavings(state: GovernorState): void {
    const usd = savedUsd(state);
    if (usd !== 0 || hasSaved) set('ctxb.saved', usd);
    hasSaved ||= usd !== 0;
  }

  return {
    /** Sends gauges and totals when they change. */
    see({ after }: Transition): void {
      context(after);
      cost(after);
      recordSavings(after);
    },
    decided(decision: Decision): void {
      const verdict = decision.kind === 'compacted' ? { 'ctxb.verdict': decision.verdict } : {};
      measure('ctxb.decisions', 1, { 'ctxb.decision': nameOf(decision), ...verdict });
      if (decision.kind === 'cache-lost') {
        measure('ctxb.cache.rewritten', decision.tokens, { 'ctxb.cache.cause': decision.cause });
      }
    },
  };
}

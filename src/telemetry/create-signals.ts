import { totalMicroUsd, toUsd } from '../core/governor/cost/cost.ts';
import { readGauge } from '../core/governor/gauge/gauge.ts';
import { isOwnUuid } from '../core/governor/prompts/own-lines.ts';
import { savedUsd } from '../core/governor/relief/accounts.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { ZONE_NAMES, zoneAt } from '../core/governor/zones/zones.ts';
import type { Transition } from '../host/governor-host.ts';
import { createCalls, createInterventions } from './measures.ts';
import type { Attributes, Measure, Metric } from './signal.ts';

/** Converts the steps of a run to metrics. */
export function createSignals(measure: Measure) {
  const levels = createLevels(measure);
  const calls = createCalls(measure);
  const interventions = createInterventions(measure);
  /** Turns of the caller, and turns that claude starts by itself. */
  const turn = (error?: string) => measure('ctxb.turns', 1, error === undefined ? {} : { 'error.type': error });
  return {
    see(transition: Transition): void {
      calls.see(transition);
      interventions.see(transition);
      levels(transition);
      const { before, after } = transition;
      const { ending } = after.facts;
      if (ending !== undefined) turn(ending.isError ? (ending.terminalReason ?? ending.subtype) : undefined);
      // Without an ending, claude's process has ended and taken the turn with it.
      else if (before.turn.phase !== 'idle' && after.turn.phase === 'idle') turn('process_ended');
    },
    decided: interventions.decided,
    end(state: GovernorState): void {
      calls.settle(state);
      interventions.close();
      if (state.turn.phase !== 'idle') turn('interrupted');
    },
  };
}

/** Gauges and totals of a run, sent when they change. */
function createLevels(measure: Measure) {
  const last = new Map<string, number>();
  let countedCost = 0;
  let hasSaved = false;

  function set(metric: Metric, value: number | undefined, attributes: Attributes = {}): void {
    const key = `${metric} ${JSON.stringify(attributes)}`;
    if (value === undefined || last.get(key) === value) return;
    last.set(key, value);
    measure(metric, value, attributes);
  }

  function context({ gauge, run }: GovernorState): void {
    if (gauge.basis === 'none') return;
    const { predicted, window, fraction } = readGauge(gauge);
    const zone = zoneAt(predicted, window, run.policy);
    set('ctxb.context.tokens', predicted);
    set('ctxb.context.window', window);
    set('ctxb.context.utilization', fraction);
    for (const name of ZONE_NAMES) set('ctxb.context.zone', name === zone ? 1 : 0, { 'ctxb.zone': name });
  }

  /** A counter must not fall: if claude reports less than computed, wait until the total exceeds the sent amount. */
  function cost(state: GovernorState): void {
    const total = totalMicroUsd(state.limits.cost);
    if (total > countedCost) measure('ctxb.cost', toUsd(total - countedCost));
    countedCost = Math.max(countedCost, total);
  }

  /** Sends no savings before the first compaction or handoff. */
  function recordSavings(state: GovernorState): void {
    const usd = savedUsd(state);
    if (usd !== 0 || hasSaved) set('ctxb.saved', usd);
    hasSaved ||= usd !== 0;
  }

  return ({ after, actions }: Transition): void => {
    const sent = actions.filter(
      (action) => action.kind === 'send' && action.promptUuid !== undefined && !isOwnUuid(after, action.promptUuid),
    );
    if (sent.length > 0) measure('ctxb.prompts', sent.length);
    context(after);
    cost(after);
    recordSavings(after);
    for (const [name, { share }] of Object.entries(after.limits.used)) {
      set('ctxb.limit.utilization', share, { 'ctxb.limit': name });
    }
  };
}

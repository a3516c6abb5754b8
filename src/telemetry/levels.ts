import { totalMicroUsd, toUsd } from '../core/governor/cost/cost.ts';
import { readGauge } from '../core/governor/gauge/gauge.ts';
import { isOwnUuid } from '../core/governor/prompts/own-lines.ts';
import { ZONE_NAMES, zoneAt } from '../core/governor/zones/zones.ts';
import { type Attributes, type Measurement, type Metric, measure, type Seen } from './signal.ts';

/** What a run's figures are after each step, as far as they have changed. */
export function createLevels() {
  const last = new Map<string, number>();
  let countedCost = 0;

  function set(metric: Metric, value: number, attributes: Attributes = {}): Measurement[] {
    const key = `${metric} ${JSON.stringify(attributes)}`;
    if (last.get(key) === value) return [];
    last.set(key, value);
    return [measure(metric, value, attributes)];
  }

  function context({ after: { gauge, run } }: Seen): Measurement[] {
    if (gauge.basis === 'none') return [];
    const { predicted, window, fraction } = readGauge(gauge);
    const zone = zoneAt(predicted, window, run.policy);
    return [
      ...set('ctxb.context.tokens', predicted),
      ...(window === undefined ? [] : set('ctxb.context.window', window)),
      ...(fraction === undefined ? [] : set('ctxb.context.utilization', fraction)),
      ...ZONE_NAMES.flatMap((name) => set('ctxb.context.zone', name === zone ? 1 : 0, { 'ctxb.zone': name })),
    ];
  }

  function limits({ after }: Seen): Measurement[] {
    return Object.entries(after.limits.used).flatMap(([name, { share }]) =>
      share === undefined ? [] : set('ctxb.limit.utilization', share, { 'ctxb.limit': name }),
    );
  }

  /** A counter never falls: where claude reports less than was computed, nothing is added until it is as much. */
  function cost({ after }: Seen): Measurement[] {
    const total = totalMicroUsd(after.cost);
    if (total <= countedCost) return [];
    const added = toUsd(total - countedCost);
    countedCost = total;
    return [measure('ctxb.cost', added)];
  }

  return {
    see: (seen: Seen): Measurement[] => [
      ...prompts(seen),
      ...(seen.before.gauge === seen.after.gauge ? [] : context(seen)),
      ...(seen.before.cost === seen.after.cost ? [] : cost(seen)),
      ...(seen.before.limits === seen.after.limits ? [] : limits(seen)),
    ],
  };
}

function prompts({ actions, after }: Seen): Measurement[] {
  const sent = actions.filter(
    (action) => action.kind === 'send' && action.promptUuid !== undefined && !isOwnUuid(after, action.promptUuid),
  );
  return sent.length === 0 ? [] : [measure('ctxb.prompts', sent.length)];
}

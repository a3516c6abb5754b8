import { inTokens, type Policy } from '../policy.ts';
import type { HealthRecord, ZoneName } from './health.ts';

/** What zones are made from. */
type ZoneLevels = Pick<Policy, 'thresholds' | 'zones'>;

/**
 * The zone of a context. Each level belongs to the zone that begins there. Where levels are out of order (fractions and
 * tokens mixed, and the window too small for that) the highest zone that has begun counts.
 *
 * @param tokens the predicted context
 * @param window tokens; while it is not known, only levels in tokens count
 */
export function zoneAt(tokens: number, window: number | undefined, { thresholds, zones }: ZoneLevels): ZoneName {
  const hasBegun = (threshold: number) => tokens >= inTokens(threshold, window);
  if (hasBegun(thresholds.handoff)) return 'handoff';
  if (hasBegun(thresholds.warn)) return 'critical';
  if (hasBegun(zones.warning)) return 'warning';
  return hasBegun(zones.monitor) ? 'monitor' : 'ok';
}

/** How a zone is rated in the health ledger. */
export function statusOf(zone: ZoneName): HealthRecord['status'] {
  return STATUS[zone];
}

const STATUS: Readonly<Record<ZoneName, HealthRecord['status']>> = {
  ok: 'ok',
  monitor: 'ok',
  warning: 'warning',
  critical: 'critical',
  handoff: 'critical',
};

/**
 * Whether a prompt is too large a task for the zone. In `handoff` the bound is that of `critical`: the context is
 * relieved there anyway, and where that is switched off even "go on" would be too large for a lower one.
 *
 * @param estimatedTokens of the prompt; as many as the bound are not too many
 */
export function isLargeTask(estimatedTokens: number, zone: ZoneName, { zones }: Pick<Policy, 'zones'>): boolean {
  if (zone === 'ok' || zone === 'monitor') return false;
  return estimatedTokens > (zone === 'warning' ? zones.largeInWarning : zones.largeInCritical);
}

import { handoffLevel, inTokens, type Policy, type TriggerPolicy } from '../policy.ts';

type ZoneLevels = TriggerPolicy & Pick<Policy, 'zones'>;

/**
 * The zone of a context. Each level belongs to the zone that begins there. Where levels are out of order (fractions and
 * tokens mixed, and the window too small for that) the highest zone that has begun counts.
 *
 * @param tokens the predicted context
 * @param window tokens; while it is not known, only levels in tokens count
 */
export function zoneAt(tokens: number, window: number | undefined, levels: ZoneLevels): ZoneName {
  const { thresholds, zones } = levels;
  const hasBegun = (threshold: number) => tokens >= inTokens(threshold, window);
  if (tokens >= handoffLevel(levels, window)) return 'handoff';
  if (hasBegun(thresholds.warn)) return 'critical';
  if (hasBegun(zones.warning)) return 'warning';
  return hasBegun(zones.monitor) ? 'monitor' : 'ok';
}

export function statusOf(zone: ZoneName): HealthRecord['status'] {
  if (zone === 'warning') return 'warning';
  return zone === 'ok' || zone === 'monitor' ? 'ok' : 'critical';
}

/**
 * Whether a prompt is too large a task for the zone. In `handoff` the bound is that of `critical`: the context is
 * relieved there anyway, and where that is switched off even "go on" would be too large for a lower one.
 *
 * @param estimatedTokens of the prompt; as many as the bound are not too many
 */
export function isLargeTask(estimatedTokens: number, zone: ZoneName, { zones }: Policy): boolean {
  if (zone === 'ok' || zone === 'monitor') return false;
  return estimatedTokens > (zone === 'warning' ? zones.largeInWarning : zones.largeInCritical);
}

/** One line of `.context/health.ndjson`, without its leading `v` and time `t` (ISO). */
export interface HealthRecord {
  /** Working folder of the run. */
  readonly project: string;
  /** claude's session id, null until it is known. */
  readonly session: string | null;
  /** A UUID. */
  readonly run: string;
  readonly check_type: 'context';
  /** `warning` from the zone of that name, `critical` from `critical` on and when the context could not be relieved. */
  readonly status: 'ok' | 'warning' | 'critical';
  readonly details: HealthDetails;
}

export type HealthDetails = Occurrence & {
  /** Predicted context in tokens, the window, and their ratio; null where the window is not known. */
  readonly tokens: number;
  readonly window: number | null;
  readonly fraction: number | null;
  readonly zone: ZoneName;
};

export type Occurrence =
  /** A turn has ended. `turn`: turns ended in this run, from 1. */
  | { readonly event: 'turn'; readonly turn: number }
  | { readonly event: 'zone'; readonly from: ZoneName }
  /** A compaction of the main context. */
  | {
      readonly event: 'compaction';
      readonly trigger: 'auto' | 'manual';
      readonly ms: number | null;
      readonly how?: 'exact';
    }
  /**
   * A handoff to a fresh context. `tokens`: the context when it was decided; `ms`: from the decision to the fresh
   * context; `by`: whether the agent's own document or the mechanical one was handed over.
   */
  | { readonly event: 'handoff'; readonly ms: number; readonly by: 'agent' | 'memory'; readonly reason: string }
  /** The first call after a compaction. `exhausted`: the API refused the prompt because the context was full. */
  | { readonly event: 'landing' | 'exhausted' };

/** How full the context is, in the words of the ladder. */
export type ZoneName = (typeof ZONE_NAMES)[number];

/** From the emptiest context to the fullest. */
export const ZONE_NAMES = ['ok', 'monitor', 'warning', 'critical', 'handoff'] as const;

import { handoffLevel, inTokens, type Policy } from '../policy.ts';

/**
 * The zone of a context; each level belongs to the zone that it starts. If levels are out of order (fractions mixed
 * with tokens in a small window), the highest started zone applies.
 *
 * @param tokens the predicted context
 * @param window tokens; while undefined, only levels in tokens apply
 */
export function zoneAt(tokens: number, window: number | undefined, policy: Policy): ZoneName {
  const hasBegun = (threshold: number) => tokens >= inTokens(threshold, window);
  if (tokens >= handoffLevel(policy, window)) return 'handoff';
  if (hasBegun(policy.thresholds.warn)) return 'critical';
  if (hasBegun(policy.zones.warning)) return 'warning';
  return hasBegun(policy.zones.monitor) ? 'monitor' : 'ok';
}

export function statusOf(zone: ZoneName): HealthRecord['status'] {
  if (zone === 'warning') return 'warning';
  return zone === 'ok' || zone === 'monitor' ? 'ok' : 'critical';
}

/** Estimated tokens of the largest small task for the zone `warning`, and of the largest tiny one for `critical`. */
const [SMALL_TASK, TINY_TASK] = [5_000, 2_000];

/**
 * Whether a task is too large for the zone. `handoff` has the limit of `critical`, because a relief follows there
 * anyway. With reliefs off, a lower limit would reject even "go on".
 * @param estimatedTokens not too large if equal to the limit
 */
export function isLargeTask(estimatedTokens: number, zone: ZoneName): boolean {
  if (zone === 'ok' || zone === 'monitor') return false;
  return estimatedTokens > (zone === 'warning' ? SMALL_TASK : TINY_TASK);
}

/** One line of `.context/health.ndjson`, without its leading `v` and time `t` (ISO). */
export interface HealthRecord {
  /** Working folder of the run. */
  readonly project: string;
  /** claude's session id; null until it is known. */
  readonly session: string | null;
  /** UUID of the run. */
  readonly run: string;
  readonly check_type: 'context';
  /** `critical` from the zone `critical` on, and if no relief made room. */
  readonly status: 'ok' | 'warning' | 'critical';
  readonly details: HealthDetails;
}

export type HealthDetails = Occurrence & {
  /** Predicted context in tokens, the window in tokens, and their ratio; null if the window is unknown. */
  readonly tokens: number;
  readonly window: number | null;
  readonly fraction: number | null;
  readonly zone: ZoneName;
};

export type Occurrence =
  /** A turn ended. `turn`: number of ended turns in this run, from 1. */
  | { readonly event: 'turn'; readonly turn: number }
  | { readonly event: 'zone'; readonly from: ZoneName }
  /** A compaction of the main context. */
  | {
      readonly event: 'compaction';
      readonly trigger: 'auto' | 'manual';
      readonly ms: number | null;
      readonly how?: 'exact';
    }
  /** A handoff to a fresh context. `ms`: from the decision to it; `by`: the author of the document. */
  | { readonly event: 'handoff'; readonly ms: number; readonly by: 'agent' | 'memory'; readonly reason: string }
  /** `landing`: the first call after a compaction. `exhausted`: the API refused the prompt as too long. */
  | { readonly event: 'landing' | 'exhausted' };

/** The zones, from the emptiest context to the fullest. */
export type ZoneName = (typeof ZONE_NAMES)[number];

/** From the emptiest context to the fullest. */
export const ZONE_NAMES = ['ok', 'monitor', 'warning', 'critical', 'handoff'] as const;

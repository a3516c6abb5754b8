import { inTokens } from '../core/governor/policy.ts';
import { ownFigures } from './copies.ts';
import type { CallSeen, CompactionSeen } from './items-seen.ts';
import { keptShare } from './retention.ts';
import type { SessionSummary } from './summary.ts';

/** What a session may not exceed. What is missing is not looked at. */
export interface Gates {
  /** Context at its peak: a fraction of the window (≤ 1) or tokens (> 1). */
  readonly context?: number | undefined;
  readonly compactions?: number | undefined;
  /** Compactions that claude began itself. */
  readonly unplanned?: number | undefined;
  /** US dollars. To name the call that went beyond it takes the series. */
  readonly costUsd?: number | undefined;
  /** The share of prompts, constraints, failing commands, commands used again and dead ends that reliefs keep, at least. */
  readonly retention?: number | undefined;
}

/** A gate that a session did not pass. */
export interface Breach {
  readonly gate: keyof Gates;
  readonly found: number;
  readonly limit: number;
  /** Number of the call that exceeded it, or of the last one before a compaction; null where none is known. */
  readonly call: number | null;
}

/** The gates that a session did not pass. What is not known (a cost, a share of
 * an unknown window) does not pass: `found` is NaN. */
export function breachesOf(session: SessionSummary, gates: Gates): Breach[] {
  const { compactions } = session;
  const unplanned = compactions.filter(({ by }) => by === 'claude');
  return [
    ...contextBreach(session, gates.context),
    ...countBreach('compactions', compactions, gates.compactions),
    ...countBreach('unplanned', unplanned, gates.unplanned),
    ...costBreach(session, gates.costUsd),
    ...retentionBreach(session, gates.retention),
  ];
}

function contextBreach({ context, window, calls }: SessionSummary, limit: number | undefined): Breach[] {
  if (limit === undefined || calls === 0) return [];
  if (limit <= 1 && window.tokens === null) return [{ gate: 'context', found: Number.NaN, limit, call: null }];
  if (context.peak <= inTokens(limit, window.tokens ?? undefined)) return [];
  return [{ gate: 'context', found: context.peak, limit, call: context.peakCall }];
}

function countBreach(
  gate: 'compactions' | 'unplanned',
  compactions: readonly CompactionSeen[],
  limit: number | undefined,
): Breach[] {
  const first = limit === undefined ? undefined : compactions[limit];
  return limit === undefined || first === undefined
    ? []
    : [{ gate, found: compactions.length, limit, call: first.call }];
}

/** What it has copied from another session was spent there. */
function costBreach(session: SessionSummary, limit: number | undefined): Breach[] {
  if (limit === undefined) return [];
  const { calls, series } = session;
  const { usd } = ownFigures(session);
  if (usd === null) return calls === 0 ? [] : [{ gate: 'costUsd', found: Number.NaN, limit, call: null }];
  if (usd <= limit) return [];
  return [{ gate: 'costUsd', found: usd, limit, call: crossing(series ?? [], limit) ?? (calls || null) }];
}

/** A session without a relief has lost nothing; one in which nobody looked for reliefs is not known. */
function retentionBreach({ retention }: SessionSummary, limit: number | undefined): Breach[] {
  if (limit === undefined) return [];
  if (retention === undefined) return [{ gate: 'retention', found: Number.NaN, limit, call: null }];
  const found = keptShare(retention);
  if (found === null || found >= limit) return [];
  const [worst] = retention.toSorted((a, b) => (keptShare([a]) ?? 1) - (keptShare([b]) ?? 1));
  return [{ gate: 'retention', found, limit, call: worst?.call ?? null }];
}

/** By list prices of the main thread, so it may be a little late; undefined where they do not come that far. */
function crossing(series: readonly CallSeen[], limit: number): number | undefined {
  let sum = 0;
  return series.find(({ usd, copied }) => {
    sum += copied ? 0 : (usd ?? 0);
    return sum > limit;
  })?.number;
}

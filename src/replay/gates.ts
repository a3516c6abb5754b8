import { toUsd } from '../core/governor/cost/cost.ts';
import { ownFigures } from './copies.ts';
import type { CompactionFigures, LedgerCall } from './items-seen.ts';
import { isFull, type SessionFigures } from './summary.ts';
import { keptShare } from './sums.ts';

/** Limits for a session. A missing limit is not checked. */
export interface Gates {
  /** Context at its peak: a fraction of the window (≤ 1) or tokens (> 1). */
  readonly context?: number | undefined;
  readonly compactions?: number | undefined;
  /** Compactions that claude began itself. */
  readonly unplanned?: number | undefined;
  /** US dollars. */
  readonly costUsd?: number | undefined;
  /** The share of prompts, constraints, failing commands, commands used again and dead ends that reliefs keep, at least. */
  readonly retention?: number | undefined;
}

/** A gate that a session did not pass. */
export interface Breach {
  readonly gate: keyof Gates;
  readonly found: number;
  readonly limit: number;
  /** Number of the call that exceeded it, or of the last one before a compaction; null if unknown. */
  readonly call: number | null;
  /** The largest share of a window, where that exceeded it. */
  readonly share?: number | undefined;
  /** It is not known, as lines that held calls cannot be read. */
  readonly isLost?: true;
}

type Found = Pick<Breach, 'found' | 'call' | 'share' | 'isLost'>;

/** Failing figures. An unknown figure (a cost, a share of an unknown window) fails with `found` NaN. */
const CHECKS: Readonly<Record<keyof Gates, (session: SessionFigures, limit: number) => Found | undefined>> = {
  context({ context, calls, lines }, limit) {
    const { peak, peakCall, peakFraction, largestFraction = peakFraction } = context;
    if (calls > 0 && limit <= 1 && largestFraction === null) return UNKNOWN;
    const found = { found: peak, call: peakCall, share: largestFraction ?? undefined };
    if (limit > 1 ? peak > limit : (largestFraction ?? 0) > limit) return found;
    return lines.lost === undefined ? undefined : LOST;
  },
  compactions: ({ compactions }, limit) => tooMany(compactions, limit),
  unplanned: ({ compactions }, limit) =>
    tooMany(
      compactions.filter(({ by }) => by === 'claude'),
      limit,
    ),
  /** Includes the cost of calls copied from another session. */
  costUsd(session, limit) {
    const { calls, ledger, lines } = session;
    const { usd, usdPartial } = ownFigures(session);
    if (usd !== null && usd > limit) return { found: usd, call: crossing(ledger(), limit) ?? (calls || null) };
    if (lines.lost !== undefined) return LOST;
    return usdPartial ? UNKNOWN : undefined;
  },
  /** A session without a relief has lost nothing. */
  retention(session, limit) {
    const retention = (isFull(session) && session.retention) || [];
    const found = keptShare(retention);
    if (found === null || found >= limit) return undefined;
    const [worst] = retention.toSorted((a, b) => (keptShare([a]) ?? 1) - (keptShare([b]) ?? 1));
    return { found, call: worst?.call ?? null };
  },
};

const UNKNOWN: Found = { found: Number.NaN, call: null };
const LOST: Found = { ...UNKNOWN, isLost: true };

export function breachesOf(session: SessionFigures, gates: Gates): Breach[] {
  return (Object.keys(CHECKS) as (keyof Gates)[]).flatMap((gate) => {
    const limit = gates[gate];
    const breach = limit === undefined ? undefined : CHECKS[gate](session, limit);
    return limit === undefined || breach === undefined ? [] : [{ gate, limit, ...breach }];
  });
}

function tooMany(compactions: readonly CompactionFigures[], limit: number): Found | undefined {
  const first = compactions[limit];
  return first && { found: compactions.length, call: first.call };
}

/** By list prices of the main thread, so it may be slightly late; undefined if they do not reach the limit. */
function crossing(ledger: readonly LedgerCall[], limit: number): number | undefined {
  let sum = 0;
  return ledger.find(({ main, microUsd }) => {
    sum += main ? toUsd(microUsd ?? 0) : 0;
    return main && sum > limit;
  })?.number;
}

import { toUsd } from '../../core/governor/cost/cost.ts';
import { callsIn } from '../../replay/ledger.ts';
import type { CompactionFigures, LedgerCall } from '../../replay/recorded-items.ts';
import type { SessionFigures } from '../../replay/summary.ts';
import { isComplete, ownFigures } from '../../replay/totals.ts';
import { counted, dollars, percent, tokens, unseenText } from '../figures.ts';
import { onOneLine } from '../printable.ts';

type Check = (session: SessionFigures, limit: number) => string | undefined;

const MISSING_CALLS = 'calls in it are malformed or without usage, so it cannot be compared with the limit';

/** Explains why a session fails a gate; undefined if it passes. An unknown figure also fails. */
const CHECKS = {
  /** Peak context: a fraction of the window (≤ 1) or tokens (> 1). */
  failOver({ context, calls, lines }, limit) {
    const { peak, peakCall, peakFraction, largestFraction: share = peakFraction } = context;
    if (calls > 0 && limit <= 1 && share === null)
      return `its window is unknown, so ${percent(limit)} has no meaning: set it with --window`;
    if (limit > 1 ? peak <= limit : (share ?? 0) <= limit) return isComplete(lines) ? undefined : MISSING_CALLS;
    // One decimal, because 85.2% exceeds 85%.
    const ofWindow = share === null ? '' : ` (${(share * 100).toFixed(1)}%)`;
    return `call ${peakCall} had a context of ${tokens(peak)} tokens${ofWindow}, over ${limit > 1 ? tokens(limit) : percent(limit)}`;
  },
  maxCompactions: ({ compactions }, limit) => excessText(compactions, '', limit),
  maxUnplanned({ compactions }, limit) {
    const own = compactions.filter(({ by }) => by === 'claude');
    return excessText(own, ' by claude itself', limit);
  },
  /** Excludes the cost of calls copied from another session. */
  maxCost(session, limit) {
    const { calls, lines } = session;
    const { unseen = 0 } = session.cost;
    const { usd, usdPartial } = ownFigures(session);
    if (usd !== null && usd > limit) {
      if (usd - unseen <= limit)
        return `claude counted ${dollars(usd)}, more than ${dollars(limit)} (${unseenText(unseen)})`;
      const call = firstCallAbove(callsIn(session), limit) ?? calls;
      return `it cost ${dollars(usd)}, more than ${dollars(limit)}${call === 0 ? '' : `: beyond that by call ${call}`}`;
    }
    if (!usdPartial) return undefined;
    return isComplete(lines)
      ? `its cost is not fully known, so it cannot be compared with ${dollars(limit)}`
      : MISSING_CALLS;
  },
} satisfies Readonly<Record<string, Check>>;

/** The limits to check; a missing one is not checked. */
export type Gates = { readonly [Gate in keyof typeof CHECKS]?: number | undefined };

const GATES = Object.keys(CHECKS) as (keyof Gates)[];

export function isGated(gates: Gates): boolean {
  return GATES.some((gate) => gates[gate] !== undefined);
}

export function breachesOf(session: SessionFigures, gates: Gates): string[] {
  const { file, sessionId } = session;
  const name = sessionId === null ? file : `${file} (session ${sessionId})`;
  return GATES.flatMap((gate) => {
    const limit = gates[gate];
    const breach = limit === undefined ? undefined : CHECKS[gate](session, limit);
    return breach === undefined ? [] : [onOneLine(`${name}: ${breach}`)];
  });
}

function excessText(compactions: readonly CompactionFigures[], owner: string, limit: number): string | undefined {
  const first = compactions[limit];
  const count = counted(compactions.length, 'compaction');
  return first && `${count}${owner}, more than ${limit}: the first one over it after call ${first.call}`;
}

/**
 * The first call above the limit, by list prices of the main thread only, so possibly too late; undefined if none is.
 */
function firstCallAbove(ledger: readonly LedgerCall[], limit: number): number | undefined {
  let sum = 0;
  return ledger.find(({ main, microUsd }) => {
    sum += main ? toUsd(microUsd ?? 0) : 0;
    return main && sum > limit;
  })?.number;
}

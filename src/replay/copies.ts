import { toMicroUsd, toUsd } from '../core/governor/cost/cost.ts';
import { addUsage, NO_USAGE, type Usage } from '../core/protocol/usage.ts';
import type { CountedCall } from './items-seen.ts';
import type { Copied, SessionSummary, Totals } from './summary.ts';

type Counted = Pick<SessionSummary, 'calls' | 'compactions' | 'context' | 'cost' | 'copied' | 'lines'>;

/** What a session adds to sums: all but what it holds of others. Where the recording does not say the cost, it is null. */
export function ownFigures({ calls, compactions, cost, copied, lines }: Omit<Counted, 'context'>) {
  const isPartial = cost.unpriced !== undefined || lines.lost !== undefined || (cost.usd === null && calls > 0);
  const partial = isPartial && { usdPartial: true as const };
  if (copied === undefined) return { calls, compactions: compactions.length, usd: cost.usd, ...partial };
  const usd = cost.usd === null ? null : toUsd(Math.max(0, toMicroUsd(cost.usd) - toMicroUsd(copied.usd)));
  return { calls: calls - copied.calls, compactions: compactions.length - copied.compactions, usd, ...partial };
}

/** @param sessions with their copies marked */
export function totalsOf(sessions: readonly Counted[]): Totals {
  const own = sessions.map(ownFigures);
  const sum = (figures: readonly number[]) => figures.reduce((all, figure) => all + figure, 0);
  const peaks = sessions.flatMap(({ context }) => context.peakFraction ?? []);
  return {
    sessions: sessions.length,
    peakFraction: peaks.length === 0 ? null : peaks.reduce((most, peak) => Math.max(most, peak)),
    calls: sum(own.map(({ calls }) => calls)),
    compactions: sum(own.map(({ compactions }) => compactions)),
    usd: sumUsd(own.map(({ usd }) => usd)),
    ...(own.some(({ usdPartial }) => usdPartial) && { usdPartial: true as const }),
    copiedCalls: sum(sessions.map(({ copied }) => copied?.calls ?? 0)),
  };
}

/** Dollars, added up as whole micro-dollars; null where no cost is known. */
export function sumUsd(costs: readonly (number | null)[]): number | null {
  const known = costs.flatMap((usd) => usd ?? []);
  return known.length === 0 ? null : toUsd(known.reduce((all, usd) => all + toMicroUsd(usd), 0));
}

/** Sums over all calls: `cacheRead` is what was read again and again. */
export function trafficOf(ledger: readonly CountedCall[]): { readonly main: Usage; readonly subagents: Usage } {
  const sums = { main: NO_USAGE, subagents: NO_USAGE };
  for (const { main, usage } of ledger) {
    if (main) sums.main = addUsage(sums.main, usage);
    else sums.subagents = addUsage(sums.subagents, usage);
  }
  return sums;
}

/**
 * Finds calls that stand in several sessions. Each counts in the session that began first, and of those that began at
 * once in the one that ended first, or has fewer: the one that was copied. Of the others the ledger keeps what is their own.
 *
 * @returns the sessions in their order
 */
export function markCopies(sessions: readonly SessionSummary[]): SessionSummary[] {
  const owners = new Map<string, SessionSummary>();
  const marked = new Map<SessionSummary, SessionSummary>();
  for (const session of sessions.toSorted(byAge)) {
    const otherOwner = (key: string | null) => {
      const owner = key === null ? session : owners.get(key);
      if (key !== null && owner === undefined) owners.set(key, session);
      return owner === session ? undefined : owner;
    };
    const calls = session.ledger.map(({ key }) => otherOwner(key));
    const compactions = compactionKeys(session).map((key) => otherOwner(key) !== undefined);
    const isCopy = calls.some((owner) => owner !== undefined);
    marked.set(session, isCopy ? withCopies(session, calls, compactions) : session);
  }
  return sessions.map((session) => marked.get(session) ?? session);
}

function byAge(a: SessionSummary, b: SessionSummary): number {
  return (
    (a.time.first ?? 0) - (b.time.first ?? 0) ||
    (a.time.last ?? 0) - (b.time.last ?? 0) ||
    a.ledger.length - b.ledger.length ||
    (nameOf(a) < nameOf(b) ? -1 : 1)
  );
}

function nameOf({ sessionId, file }: SessionSummary): string {
  return sessionId ?? file;
}

/** null where no call came before it and it has no time: nothing else would tell it from others. */
function compactionKeys({ ledger, compactions }: SessionSummary): (string | null)[] {
  const calls = compactions.length === 0 ? [] : ledger.filter(({ main }) => main);
  return compactions.map(({ call, preTokens, trigger, t }) => {
    const key = calls[call - 1]?.key ?? (t === null ? null : `at ${t}`);
    return key === null ? null : `${key} ${trigger} ${preTokens}`;
  });
}

/**
 * @param owners of each call in the ledger; undefined: the session itself
 * @param copiedCompactions whether each compaction is another session's
 */
function withCopies(
  session: SessionSummary,
  owners: readonly (SessionSummary | undefined)[],
  copiedCompactions: readonly boolean[],
): SessionSummary {
  const { ledger, series, retention } = session;
  const copied = ledger.filter((_, at) => owners[at] !== undefined);
  const isCopied = ledger.flatMap(({ main }, at) => (main ? [owners[at] !== undefined] : []));
  const own = ledger.filter((_, at) => owners[at] === undefined);
  return {
    ...session,
    ledger: own,
    traffic: trafficOf(own),
    compactions: session.compactions.map((each, at) => (copiedCompactions[at] ? { ...each, copied: true } : each)),
    copied: {
      from: countedBy(owners.flatMap((owner) => (owner === undefined ? [] : nameOf(owner)))),
      calls: copied.filter(({ main }) => main).length,
      compactions: copiedCompactions.filter((isCopied) => isCopied).length,
      usd: toUsd(copied.reduce((sum, { microUsd }) => sum + (microUsd ?? 0), 0)),
    },
    // What a relief kept shows in the first call after it.
    ...(retention && { retention: retention.filter(({ call }) => isCopied[call - 1] !== true) }),
    ...(series && { series: series.map((call) => (isCopied[call.number - 1] ? { ...call, copied: true } : call)) }),
  };
}

function countedBy(names: readonly string[]): Copied['from'] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([session, calls]) => ({ session, calls })).sort((a, b) => b.calls - a.calls);
}

import { CARRIES_COUNTER_SINCE, toMicroUsd, toUsd } from '../core/governor/cost/cost.ts';
import { isAtLeast } from '../core/protocol/version.ts';
import { sumOf } from '../core/text/sum-of.ts';
import { callsIn, filterCalls, type Ledger, ledgerOf } from './ledger.ts';
import type { LedgerCall } from './recorded-items.ts';
import { isFull, type SessionFigures, type SessionSummary } from './summary.ts';
import { ownFigures, sumByName, trafficOf } from './totals.ts';

/**
 * Claude copies the history when it forks or resumes a session. Each call counts in the session that began first; on a
 * tie, in the one that ended first or has fewer calls, which is the original. Among several recordings of one session,
 * it counts in the one with claude's own cost. The ledgers of the others keep only their own calls.
 */
export function markCopies<S extends SessionFigures>(sessions: readonly S[]): S[] {
  const continued = withoutCarried(sessions);
  const ownerOf = createOwners();
  const marked = new Map<SessionFigures, S>();
  for (const session of sortOwnersFirst(sharingSessions(continued))) {
    const calls = callsIn(session).map(({ t, microUsd }, at, { length }) =>
      ownerOf(keysOf(session, at, length), { session, t, microUsd }),
    );
    const compactions = compactionKeys(session).map((keys) => ownerOf(keys, { session, t: null, microUsd: 0 }));
    const isCopy = [...calls, ...compactions].some((owner) => owner !== undefined);
    const owners = new Set(calls.flatMap((owner) => owner?.session ?? []));
    const extra = sumOf(owners, (owner) => extraMicroUsd(marked.get(owner) ?? owner));
    if (isCopy) marked.set(session, withCopies(session, calls, compactions, extra));
  }
  return continued.map((session) => withUnseen(marked.get(session) ?? session));
}

/**
 * A process that resumes or forks a session continues its cost counter. The cost before it counts only in the recording
 * of the process before.
 */
function withoutCarried<S extends SessionFigures>(sessions: readonly S[]): S[] {
  const counters = sessions
    .filter(
      ({ cost, claudeCodeVersion }) => !cost.computed && isAtLeast(claudeCodeVersion ?? '', CARRIES_COUNTER_SINCE),
    )
    .map((session) => ({ session, name: nameOf(session), cost: toMicroUsd(session.cost.usd ?? 0) }))
    .sort((a, b) => a.cost - b.cost);
  const marked = new Map<S, S>();
  for (const { session, name, cost } of counters) {
    const calls = callsIn(session);
    const start = cost - microUsdIn(calls);
    // The counter of another session must explain all of it, up to rounding.
    const before = counters.findLast(
      (other) =>
        other.session !== session && other.cost <= start + 1 && (other.name === name || other.cost >= start - 1),
    );
    const isPriced = calls.length > 0 && calls.every(({ microUsd }) => microUsd !== null);
    if (!isPriced || before === undefined || before.cost === 0) continue;
    const copied = { from: [{ session: before.name, calls: 0 }], calls: 0, compactions: 0, usd: toUsd(before.cost) };
    marked.set(session, { ...session, copied });
  }
  return sessions.map((session) => marked.get(session) ?? session);
}

function nameOf({ sessionId, file }: SessionFigures): string {
  return sessionId ?? file;
}

/** Cost of all calls, in micro-dollars. */
function microUsdIn(ledger: readonly LedgerCall[]): number {
  return sumOf(ledger, ({ microUsd }) => microUsd ?? 0);
}

/** Adds the part of claude's cost for calls that the recording does not show, if it is more than a tenth. */
function withUnseen<S extends SessionFigures>(session: S): S {
  if (session.cost.computed) return session;
  const calls = callsIn(session);
  const reported = reportedMicroUsd(session, calls);
  const seen = microUsdIn(calls) + reported;
  const unseen = extraMicroUsd(session) - reported;
  if (seen === 0 || unseen <= seen / 9 || calls.some(({ microUsd }) => microUsd === null)) return session;
  return { ...session, cost: { ...session.cost, unseen: toUsd(unseen) } };
}

/** Cost of calls of subagents that a stream lacks, but whose usage claude reports at their end, in micro-dollars. */
function reportedMicroUsd(session: SessionFigures, ledger: readonly LedgerCall[]): number {
  if (!isFull(session)) return 0;
  const agents = sumOf(session.subagents, ({ usd }) => toMicroUsd(usd ?? 0));
  return Math.max(0, agents - microUsdIn(ledger.filter((call) => !call.main)));
}

/** Cost that claude reports besides the session's own calls, such as titles and summaries, in micro-dollars. */
function extraMicroUsd(session: SessionFigures): number {
  return session.cost.computed ? 0 : toMicroUsd(ownFigures(session).usd ?? 0) - microUsdIn(callsIn(session));
}

/** The sessions that share a call or compaction with another one. Most do not, so their calls need not be unpacked. */
function sharingSessions<S extends SessionFigures>(sessions: readonly S[]): S[] {
  if (sessions.length < 2) return [];
  const keys = sessions.map((session) => [session.keys, timesOf(session)]);
  const repeated = repeatedIn(keys.flat());
  if (repeated.size === 0) return [];
  return sessions.filter((_, at) => keys[at]?.some((part) => part.some((key) => repeated.has(key))));
}

/** The times of the compactions, which copies share; 0 if unknown. */
function timesOf({ compactions }: SessionFigures): Float64Array {
  return Float64Array.from(compactions, ({ t }) => t ?? 0);
}

/** The numbers that occur more than once, except 0. Sorting takes less time than a set of all numbers. */
function repeatedIn(parts: readonly Float64Array[]): ReadonlySet<number> {
  const all = new Float64Array(sumOf(parts, ({ length }) => length));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  all.sort();
  return new Set(all.filter((key, index) => key !== 0 && key === all[index - 1]));
}

interface HeldCall extends Pick<LedgerCall, 't' | 'microUsd'> {
  readonly session: SessionFigures;
}

/** Creates a function that finds the owner of a call among the sessions so far; undefined for the session itself. */
function createOwners() {
  const owners = new Map<number | string, HeldCall>();
  return (keys: readonly (number | string)[], held: HeldCall): HeldCall | undefined => {
    const known = keys.map((key) => owners.get(key)).find((owner) => owner !== undefined && isSame(owner, held));
    for (const key of keys) if (!owners.has(key)) owners.set(key, known ?? held);
    return known?.session === held.session ? undefined : known;
  };
}

const HOUR_MS = 3_600_000;

/**
 * Whether a call is a copy: it has the time or the cost of the original. A gateway can give the calls of all sessions
 * the same id.
 */
function isSame(owner: HeldCall, { session, t, microUsd }: HeldCall): boolean {
  if (owner.t === null || t === null || owner.session.sessionId === session.sessionId) return true;
  return Math.abs(owner.t - t) < HOUR_MS || (microUsd !== null && microUsd > 0 && microUsd === owner.microUsd);
}

/** Groups the recordings of one session, those with claude's own cost first. */
function sortOwnersFirst<S extends SessionFigures>(sessions: readonly S[]): S[] {
  const groups = new Map<string, S[]>();
  for (const session of sessions.toSorted(byAge)) {
    const name = nameOf(session);
    groups.set(name, [...(groups.get(name) ?? []), session]);
  }
  return [...groups.values()].flatMap((group) =>
    group.sort((a, b) => Number(a.cost.computed) - Number(b.cost.computed)),
  );
}

function byAge(a: SessionFigures, b: SessionFigures): number {
  return (
    (a.time.first ?? 0) - (b.time.first ?? 0) ||
    (a.time.last ?? 0) - (b.time.last ?? 0) ||
    ledgerOf(a).numbers.length - ledgerOf(b).numbers.length ||
    (nameOf(a) < nameOf(b) ? -1 : 1)
  );
}

/** The keys of a call. @param at its index @param calls number of calls in the ledger */
function keysOf({ keys }: SessionFigures, at: number, calls: number): number[] {
  return [keys[at], keys.subarray(calls)[at]].flatMap((key) => key || []);
}

/** Keys of compactions: the call before, which a copy may lack, and the time, which only copies share. */
function compactionKeys(session: SessionFigures) {
  // Unpacking the calls takes most of the time.
  if (session.compactions.length === 0) return [];
  const { numbers } = ledgerOf(session);
  return session.compactions.map(({ call, preTokens, trigger, t }) => {
    const before = call === 0 ? [] : keysOf(session, numbers.indexOf(call), numbers.length);
    return [...before, ...(t === null ? [] : [t])].map((place) => `${place} ${trigger} ${preTokens}`);
  });
}

/** The owner of each call in the ledger or of each compaction; undefined for the session itself. */
type Owners = readonly (HeldCall | undefined)[];

/**
 * Removes copies from the figures of a session.
 * @param extra cost of the owners besides their calls, in micro-dollars
 */
function withCopies<S extends SessionFigures>(session: S, calls: Owners, compactions: Owners, extra: number): S {
  const ledger = filterCalls(ledgerOf(session), (at) => calls[at] === undefined);
  const own = callsIn({ ledger });
  const shared = callsIn(session).filter((_, at) => calls[at] !== undefined);
  const copied = shared.filter(({ main }) => main);
  const numbers = new Set(copied.map(({ number }) => number));
  const isOwn = ({ call }: { readonly call: number }) => !numbers.has(call);
  const { unlogged, ...cost } = session.cost;
  const { from, usd } = session.copied ?? { from: [], usd: 0 };
  // An output that was saved twice also repeats claude's other cost, such as titles.
  const rest = toMicroUsd((cost.usd ?? 0) - usd) - microUsdIn(own);
  const callsByOwner = sumByName(calls.flatMap((owner) => (owner === undefined ? [] : [[nameOf(owner.session), 1]])));
  const ownUnlogged = unlogged?.filter(isOwn) ?? [];
  return {
    ...session,
    ledger,
    compactions: session.compactions.map((each, index) => (compactions[index] ? { ...each, copied: true } : each)),
    copied: {
      from: [
        ...from,
        ...[...callsByOwner]
          .map(([name, count]) => ({ session: name, calls: count }))
          .sort((a, b) => b.calls - a.calls),
      ],
      calls: copied.length,
      compactions: compactions.filter((owner) => owner !== undefined).length,
      usd: usd + toUsd(own.length === 0 ? rest : Math.max(0, Math.min(microUsdIn(shared) + extra, rest))),
    },
    cost: { ...cost, ...(ownUnlogged.length > 0 && { unlogged: ownUnlogged }) },
    ...(isFull(session) && ownOfFull(session, ledger, isOwn)),
  };
}

function ownOfFull(
  { series, retention }: SessionSummary,
  ledger: Ledger,
  isOwn: (place: { readonly call: number }) => boolean,
) {
  return {
    traffic: trafficOf(ledger),
    // `call` is the first call after a compaction or handoff; a copied one belongs to the owner.
    ...(retention && { retention: retention.filter(isOwn) }),
    ...(series && { series: series.map((call) => (isOwn({ call: call.number }) ? call : { ...call, copied: true })) }),
  };
}

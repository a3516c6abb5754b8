import { toMicroUsd } from '../core/governor/cost/cost.ts';
import type { FactKind } from '../core/governor/decisions.ts';
import { FACT_KINDS } from '../core/memory/notebook/fact.ts';
import { modelName } from '../core/protocol/model-name.ts';
import { sumOf } from '../core/text/sum-of.ts';
import { callsIn } from './ledger.ts';
import type { LedgerCall, RecordedRelief } from './recorded-items.ts';
import type { SessionFigures, SessionSummary, SummedFigures } from './summary.ts';
import { addFigures } from './tally.ts';
import { createTotal, inUsd, isComplete, ownFigures, totalsOf } from './totals.ts';

/**
 * The report that `--json` prints.
 *
 * @param sessions processed by `markCopies`
 * @param since milliseconds since the epoch; sums by `by` exclude earlier calls
 */
export function replayReport(sessions: readonly SessionSummary[], by?: Grouping, since?: number) {
  const whatIf = whatIfTotals(sessions);
  const retentions = sessions.flatMap(({ retention }) => (retention === undefined ? [] : [retention]));
  return {
    version: 1,
    // Without data that is only needed to compute sums.
    sessions: sessions.map(({ ledger: _, keys: __, ...session }) => session),
    totals: totalsOf(sessions),
    ...(by && { by, sums: sumsBy(sessions, by, since) }),
    ...(retentions.length > 0 && { retention: retentionTotals(retentions.flat()) }),
    ...(whatIf && { whatIf }),
  };
}

export type ReplayReport = ReturnType<typeof replayReport>;

export const GROUPINGS = ['day', 'project', 'model'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** The sums of a day, project or model. A call in several sessions counts once. */
export interface Sum extends SummedFigures {
  readonly name: string | null;
  /** Number of sessions with a part in this group. */
  readonly sessions: number;
}

/**
 * The sums of each group. Days come newest first, projects and models by cost.
 *
 * @param sessions processed by `markCopies`
 * @param since milliseconds since the epoch; for earlier days, some sessions may be missing
 */
export function sumsBy(sessions: readonly SessionFigures[], by: Grouping, since = Number.NEGATIVE_INFINITY): Sum[] {
  const groups = new Map<string | number | null, ReturnType<typeof createGroup>>();
  for (const session of sessions) {
    eachPart(session, (at, part) => {
      if ((at.t ?? since) < since) return;
      const key = keyOf(session, by, at);
      const group = groups.get(key) ?? createGroup();
      groups.set(key, group);
      group.sessions.add(session);
      group.add(part);
    });
  }
  const sums = [...groups].map(([key, group]) => {
    const name = typeof key === 'number' ? dateOf(key) : key;
    return { name, sessions: group.sessions.size, ...group.found() };
  });
  const byName = (a: Sum, b: Sum) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1);
  if (by === 'day') return sums.sort((a, b) => byName(b, a));
  return sums.sort((a, b) => (b.usd ?? -1) - (a.usd ?? -1) || b.calls - a.calls || byName(a, b));
}

const createGroup = () => ({ sessions: new Set<SessionFigures>(), ...createTotal() });

/**
 * Splits a session for sums: its calls, its compactions, and its other cost (titles and summaries), dated at its end.
 * An unknown part of its cost belongs to the calls without a price, or to any part if none lacks one or some are missing.
 */
function eachPart(session: SessionFigures, add: (at: TimeAndModel, part: SummedFigures) => void): void {
  const { usd, usdPartial, usdUnseen } = ownFigures(session);
  const ledger = callsIn(session);
  const isRead = isComplete(session.lines) && session.cost.unlogged === undefined;
  const isPlaced = isRead && ledger.some(({ microUsd }) => microUsd === null);
  let remaining = usd === null ? null : toMicroUsd(usd);
  for (const call of ledger) {
    const microUsd = remaining === null || call.microUsd === null ? null : Math.min(remaining, call.microUsd);
    if (remaining !== null) remaining -= microUsd ?? 0;
    const isPartial = usdPartial && !(isPlaced && call.microUsd !== null);
    add(call, { calls: Number(call.main), compactions: 0, usd: inUsd(microUsd), usdPartial: isPartial });
  }
  const own = session.compactions.filter(({ copied }) => !copied);
  for (const compaction of own) add(compaction, { calls: 0, compactions: 1, usd: null });
  if (ledger.length + own.length > 0 && !remaining) return;
  const end = { t: session.time.last, model: session.model };
  add(end, { calls: 0, compactions: 0, usd: inUsd(remaining), usdPartial, usdUnseen });
}

type TimeAndModel = Pick<LedgerCall, 't' | 'model'>;

/** The name of a group, or the start of a day: naming the day of each call would take several times as long. */
function keyOf(session: SessionFigures, by: Grouping, at: TimeAndModel): string | number | null {
  if (by === 'project') return session.project;
  const model = at.model ?? session.model;
  if (by === 'model') return model && modelName(model);
  const t = at.t ?? session.time.last;
  return t === null ? null : new Date(t).setHours(0, 0, 0, 0);
}

/** `2026-03-31` in local time. @param t milliseconds since the epoch */
export function dateOf(t: number): string {
  const day = new Date(t);
  const [month, date] = [day.getMonth() + 1, day.getDate()].map((figure) => String(figure).padStart(2, '0'));
  return `${day.getFullYear()}-${month}-${date}`;
}

/** Counts of facts. `given`: facts kept only because ctxb handed them back. */
export type RetentionCounts = ReturnType<typeof countKept>;

export type RetentionTotals = ReturnType<typeof retentionTotals>;

export function retentionTotals(reliefs: readonly RecordedRelief[]) {
  const known = FACT_KINDS.map((kind) => [kind, countKept(reliefs, [kind])]);
  return { reliefs: reliefs.length, known: Object.fromEntries(known) as Record<FactKind, RetentionCounts> };
}

export function countKept(reliefs: readonly RecordedRelief[], kinds: readonly FactKind[]) {
  const sum = (of: 'all' | 'kept' | 'given') => sumOf(reliefs, (relief) => sumOf(kinds, (kind) => relief[of][kind]));
  return { all: sum('all'), kept: sum('kept'), given: sum('given') };
}

/** Totals of what-if over all sessions with calls. */
export type WhatIfTotals = NonNullable<ReturnType<typeof whatIfTotals>>;

/** Sums over sessions; undefined if no session was simulated. */
export function whatIfTotals(sessions: readonly SessionSummary[]) {
  const simulated = sessions.flatMap(({ whatIf }) => whatIf ?? []);
  if (simulated.length === 0) return undefined;
  const dearer = simulated.map(({ actual, ctxb }) => (ctxb.usd ?? 0) - (actual.usd ?? 0)).filter((usd) => usd > 0);
  return {
    sessions: simulated.length,
    /** Number of sessions that would have cost more with ctxb, and the largest increase in US dollars. */
    dearer: { sessions: dearer.length, mostUsd: Math.max(0, ...dearer) },
    actual: simulated.map(({ actual }) => actual).reduce(addFigures),
    ctxb: simulated.map(({ ctxb }) => ctxb).reduce(addFigures),
    calls: sumOf(simulated, ({ calls }) => calls),
    fetched: sumOf(simulated, ({ fetched }) => fetched),
    estimated: sumOf(simulated, ({ estimated }) => estimated),
  };
}

import { toMicroUsd } from '../core/governor/cost/cost.ts';
import type { FactKind } from '../core/governor/decisions.ts';
import { FACT_KINDS } from '../core/memory/notebook/fact.ts';
import { modelName } from '../core/protocol/model-name.ts';
import { sumOf } from '../core/text/sum-of.ts';
import { inUsd, isWhole, ownFigures, totalOf, totalsOf } from './copies.ts';
import type { LedgerCall, ReliefSeen } from './items-seen.ts';
import type { Counts, SessionFigures, SessionSummary } from './summary.ts';
import { whatIfTotals } from './what-if.ts';

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
export interface Sum extends Counts {
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
  const groups = new Map<string | null, Part[]>();
  for (const part of sessions.flatMap((session) => partsOf(session, by))) {
    if ((part.t ?? since) < since) continue;
    const group = groups.get(part.name);
    if (group === undefined) groups.set(part.name, [part]);
    else group.push(part);
  }
  const sums = [...groups].map(([name, parts]) => {
    return { name, sessions: new Set(parts.map(({ session }) => session)).size, ...totalOf(parts) };
  });
  const byName = (a: Sum, b: Sum) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1);
  if (by === 'day') return sums.sort((a, b) => byName(b, a));
  return sums.sort((a, b) => (b.usd ?? -1) - (a.usd ?? -1) || b.calls - a.calls || byName(a, b));
}

type Part = ReturnType<typeof partsOf>[number];

/**
 * Splits a session for sums: its calls, its compactions, and its other cost (titles and summaries), dated at its end.
 * An unknown part of its cost belongs to the calls without a price, or to any part if none lacks one or some are missing.
 */
function partsOf(session: SessionFigures, by: Grouping) {
  const { usd, usdPartial, usdUnseen } = ownFigures(session);
  const ledger = session.ledger();
  const isRead = isWhole(session.lines) && session.cost.unlogged === undefined;
  const isPlaced = isRead && ledger.some(({ microUsd }) => microUsd === null);
  let remaining = usd === null ? null : toMicroUsd(usd);
  const calls = ledger.map((call) => {
    const microUsd = remaining === null || call.microUsd === null ? null : Math.min(remaining, call.microUsd);
    if (remaining !== null) remaining -= microUsd ?? 0;
    const [name, usd] = [nameOf(session, by, call), inUsd(microUsd)];
    const isPartial = usdPartial && !(isPlaced && call.microUsd !== null);
    return { name, t: call.t, session, calls: Number(call.main), compactions: 0, usd, usdPartial: isPartial };
  });
  const own = session.compactions.filter(({ copied }) => copied === undefined);
  const compactions = own.map((compaction) => {
    const name = nameOf(session, by, compaction);
    return { name, t: compaction.t, session, calls: 0, compactions: 1, usd: null };
  });
  const parts = [...calls, ...compactions];
  if (parts.length > 0 && !remaining) return parts;
  const rest = { calls: 0, compactions: 0, usd: inUsd(remaining), usdPartial, usdUnseen };
  return [...parts, { name: nameOf(session, by), t: session.time.last, session, ...rest }];
}

function nameOf(session: SessionFigures, by: Grouping, call?: Pick<LedgerCall, 't' | 'model'>): string | null {
  if (by === 'project') return session.project;
  const model = call?.model ?? session.model;
  if (by === 'model') return model && modelName(model);
  const t = call?.t ?? session.time.last;
  return t === null ? null : dayOf(t);
}

/** `2026-03-31` in local time. @param t milliseconds since the epoch */
export function dayOf(t: number): string {
  const day = new Date(t);
  const [month, date] = [day.getMonth() + 1, day.getDate()].map((figure) => String(figure).padStart(2, '0'));
  return `${day.getFullYear()}-${month}-${date}`;
}

/** Counts of facts. `given`: facts kept only because ctxb handed them back. */
export type RetentionCounts = ReturnType<typeof keptOf>;

export type RetentionTotals = ReturnType<typeof retentionTotals>;

export function retentionTotals(reliefs: readonly ReliefSeen[]) {
  const known = FACT_KINDS.map((kind) => [kind, keptOf(reliefs, [kind])]);
  return { reliefs: reliefs.length, known: Object.fromEntries(known) as Record<FactKind, RetentionCounts> };
}

export function keptOf(reliefs: readonly ReliefSeen[], kinds: readonly FactKind[]) {
  const sum = (of: 'all' | 'kept' | 'given') => sumOf(reliefs, (relief) => sumOf(kinds, (kind) => relief[of][kind]));
  return { all: sum('all'), kept: sum('kept'), given: sum('given') };
}

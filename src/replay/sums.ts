import { toMicroUsd, toUsd } from '../core/governor/cost/cost.ts';
import { ownFigures } from './copies.ts';
import type { CountedCall } from './items-seen.ts';
import type { SessionSummary } from './summary.ts';

export const GROUPINGS = ['day', 'project', 'model'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** What one day, project or model amounts to. A call that several sessions hold counts once. */
export interface Sum {
  /** null: the recordings do not say. */
  readonly name: string | null;
  /** Sessions that went on then, there or with it. */
  readonly sessions: number;
  /** Of main threads. */
  readonly calls: number;
  readonly compactions: number;
  /** US dollars; null where no cost is known. */
  readonly usd: number | null;
}

/** Days the newest first, and names the dearest first. @param sessions with their copies marked */
export function sumsBy(sessions: readonly SessionSummary[], by: Grouping): Sum[] {
  const groups = new Map<string | null, Part[]>();
  for (const part of sessions.flatMap((session) => partsOf(session, by))) {
    const group = groups.get(part.name);
    if (group === undefined) groups.set(part.name, [part]);
    else group.push(part);
  }
  const sums = [...groups].map(([name, parts]) => sumOf(name, parts));
  const byName = (a: Sum, b: Sum) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1);
  if (by === 'day') return sums.sort((a, b) => byName(b, a));
  return sums.sort((a, b) => (b.usd ?? -1) - (a.usd ?? -1) || b.calls - a.calls || byName(a, b));
}

/** What a session adds to one sum. */
interface Part {
  readonly name: string | null;
  readonly session: SessionSummary;
  readonly calls: number;
  readonly compactions: number;
  readonly microUsd: number | null;
}

/** Its calls, and what it has besides, which is put where it ended: titles and summaries that claude paid for. */
function partsOf(session: SessionSummary, by: Grouping): Part[] {
  const { usd, compactions } = ownFigures(session);
  let left = usd === null ? null : toMicroUsd(usd);
  const calls = session.ledger.map((call) => {
    const microUsd = left === null || call.microUsd === null ? null : Math.min(left, call.microUsd);
    if (left !== null) left -= microUsd ?? 0;
    return { name: nameOf(session, by, call), session, calls: call.main ? 1 : 0, compactions: 0, microUsd };
  });
  const isAllSaid = calls.length > 0 && compactions === 0 && !left;
  return isAllSaid ? calls : [...calls, { name: nameOf(session, by), session, calls: 0, compactions, microUsd: left }];
}

function sumOf(name: string | null, parts: readonly Part[]): Sum {
  const known = parts.flatMap(({ microUsd }) => microUsd ?? []);
  return {
    name,
    sessions: new Set(parts.map(({ session }) => session)).size,
    calls: parts.reduce((sum, { calls }) => sum + calls, 0),
    compactions: parts.reduce((sum, { compactions }) => sum + compactions, 0),
    usd: known.length === 0 ? null : toUsd(known.reduce((sum, microUsd) => sum + microUsd, 0)),
  };
}

function nameOf(session: SessionSummary, by: Grouping, call?: CountedCall): string | null {
  if (by === 'project') return session.project;
  // Lines of calls do not carry the mark of the large window.
  if (by === 'model') return (call?.model ?? session.model)?.replace(/\[1m\]$/, '') ?? null;
  const t = call?.t ?? session.time.last;
  return t === null ? null : dayOf(t);
}

/** `2026-03-31`, where the person is. @param t milliseconds since the epoch */
export function dayOf(t: number): string {
  const day = new Date(t);
  return `${day.getFullYear()}-${twoDigits(day.getMonth() + 1)}-${twoDigits(day.getDate())}`;
}

/** Of months, days, hours and minutes. */
export function twoDigits(figure: number): string {
  return String(figure).padStart(2, '0');
}

import type { SessionSummary } from '../../replay/summary.ts';

/** What sessions amount to. */
export interface Totals {
  /** The highest share of a window; null where none is known. */
  readonly peakFraction: number | null;
  readonly calls: number;
  readonly compactions: number;
  /** Of those sessions whose cost is known; null where none is. */
  readonly usd: number | null;
}

export function totalsOf(sessions: readonly SessionSummary[]): Totals {
  const sum = (figure: (session: SessionSummary) => number) => sessions.reduce((all, each) => all + figure(each), 0);
  const peaks = sessions.flatMap(({ calls, context }) => (calls > 0 ? (context.peakFraction ?? []) : []));
  return {
    peakFraction: peaks.length === 0 ? null : peaks.reduce((most, peak) => Math.max(most, peak)),
    calls: sum(({ calls }) => calls),
    compactions: sum(({ compactions }) => compactions.length),
    usd: sessions.some(({ cost }) => cost.usd !== null) ? sum(({ cost }) => cost.usd ?? 0) : null,
  };
}

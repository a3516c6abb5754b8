import { toMicroUsd, toUsd } from '../core/governor/cost/cost.ts';
import { addUsage, NO_USAGE } from '../core/protocol/usage.ts';
import { sumOf } from '../core/text/sum-of.ts';
import { type Ledger, SUBAGENT_CALL } from './ledger.ts';
import type { SessionFigures, SummedFigures } from './summary.ts';

type CountedSession = Pick<SessionFigures, 'calls' | 'compactions' | 'context' | 'cost' | 'copied' | 'lines'>;

export function isComplete({ lost, unsized }: SessionFigures['lines']): boolean {
  return lost === undefined && unsized === undefined;
}

/** The figures of a session without calls copied from others. `usd` is null if the recording has no cost. */
export function ownFigures({ calls, compactions, cost, copied, lines }: CountedSession) {
  // claude's cost includes calls without usage.
  const isCounted = cost.usd !== null && !cost.computed && lines.lost === undefined;
  const hasGap = cost.unpriced !== undefined || cost.unlogged !== undefined;
  const isPartial = hasGap || !(isCounted || isComplete(lines)) || (cost.usd === null && calls > 0);
  const marks = costMarks(isPartial, cost.unseen !== undefined);
  if (copied === undefined) return { calls, compactions: compactions.length, usd: cost.usd, ...marks };
  const usd = cost.usd === null ? null : toUsd(Math.max(0, toMicroUsd(cost.usd) - toMicroUsd(copied.usd)));
  return { calls: calls - copied.calls, compactions: compactions.length - copied.compactions, usd, ...marks };
}

function costMarks(isPartial: boolean, isUnseen: boolean) {
  return { ...(isPartial && { usdPartial: true }), ...(isUnseen && { usdUnseen: true }) };
}

/** Sums over sessions. */
export type Totals = Readonly<ReturnType<typeof totalsOf>>;

/** @param sessions processed by `markCopies` */
export function totalsOf(sessions: readonly CountedSession[]) {
  const peaks = sessions.flatMap(({ context }) => context.peakFraction ?? []);
  return {
    sessions: sessions.length,
    /** The highest peak as a share of a window; null if unknown. */
    peakFraction: peaks.sort((a, b) => b - a)[0] ?? null,
    ...totalOf(sessions.map(ownFigures)),
    /** Copies of calls, which count once. */
    copiedCalls: sumOf(sessions, ({ copied }) => copied?.calls ?? 0),
  };
}

export function totalOf(shares: readonly SummedFigures[]) {
  const { add, found } = createTotal();
  shares.forEach(add);
  return found();
}

export function createTotal() {
  const sum = { calls: 0, compactions: 0 };
  let microUsd: number | null = null;
  let [isPartial, isUnseen] = [false, false];
  return {
    add({ calls, compactions, usd, usdPartial = false, usdUnseen = false }: SummedFigures): void {
      sum.calls += calls;
      sum.compactions += compactions;
      microUsd = addUsd(microUsd, usd);
      isPartial ||= usdPartial;
      isUnseen ||= usdUnseen;
    },
    found: () => ({ ...sum, usd: inUsd(microUsd), ...costMarks(isPartial, isUnseen) }),
  };
}

/** Adds up dollars; null if no cost is known. */
export function sumUsd(costs: readonly (number | null)[]): number | null {
  return inUsd(costs.reduce(addUsd, null));
}

/** Adds dollars to whole micro-dollars, to avoid rounding errors. */
function addUsd(microUsd: number | null, usd: number | null): number | null {
  return usd === null ? microUsd : (microUsd ?? 0) + toMicroUsd(usd);
}

export function inUsd(microUsd: number | null): number | null {
  return microUsd === null ? null : toUsd(microUsd);
}

/** Sums by name, in the order in which the names first occur. */
export function sumByName(parts: Iterable<readonly [name: string, figure: number]>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [name, figure] of parts) sums.set(name, (sums.get(name) ?? 0) + figure);
  return sums;
}

/** Sums of usage over all calls; `cacheRead` counts cached context again for each call. */
export function trafficOf({ numbers, usages }: Ledger) {
  const sumOver = (main: boolean) =>
    usages.filter((_, index) => (numbers[index] !== SUBAGENT_CALL) === main).reduce(addUsage, NO_USAGE);
  return { main: sumOver(true), subagents: sumOver(false) };
}

import type { FactKind } from '../core/governor/decisions.ts';
import { FACT_KINDS, TOLD_KINDS } from '../core/memory/notebook/fact.ts';
import type { NeededTally, ReliefSeen } from './items-seen.ts';

/** Of some kinds of facts. `given`: of those kept, what is only there because ctxb handed it back. */
export interface Kept {
  readonly all: number;
  readonly kept: number;
  readonly given: number;
}

/** What some reliefs kept together. */
export interface RetentionTotals {
  readonly reliefs: number;
  readonly known: Readonly<Record<FactKind, Kept>>;
  readonly needed: Readonly<Record<keyof NeededTally, Kept>>;
}

export function retentionTotals(reliefs: readonly ReliefSeen[]): RetentionTotals {
  const needs = reliefs.map(({ needed }) => needed);
  const needed = (kind: keyof NeededTally) => keptOf(needs, [kind]);
  const known = FACT_KINDS.map((kind) => [kind, keptOf(reliefs, [kind])]);
  return {
    reliefs: reliefs.length,
    known: Object.fromEntries(known) as RetentionTotals['known'],
    needed: { paths: needed('paths'), commands: needed('commands'), numbers: needed('numbers') },
  };
}

/** The share of what must not be lost that was really kept; null where there was nothing of it. */
export function keptShare(reliefs: readonly ReliefSeen[]): number | null {
  const { all, kept } = keptOf(reliefs, TOLD_KINDS);
  const { given } = keptOf(
    reliefs.filter(({ actual }) => !actual),
    TOLD_KINDS,
  );
  return all === 0 ? null : (kept - given) / all;
}

type Tallies<K extends string> = Readonly<Record<'all' | 'kept' | 'given', Readonly<Record<K, number>>>>;

export function keptOf<K extends string>(reliefs: readonly Tallies<K>[], kinds: readonly K[]): Kept {
  const sum = (of: keyof Kept) =>
    reliefs.reduce((total, relief) => total + kinds.reduce((some, kind) => some + relief[of][kind], 0), 0);
  return { all: sum('all'), kept: sum('kept'), given: sum('given') };
}

import type { Usage } from '../core/protocol/usage.ts';
import type { LedgerCall } from './recorded-items.ts';
import type { SessionFigures } from './summary.ts';

/**
 * The calls of a recording, including subagents. Each figure has a list of its own: as objects, they would take twice
 * the memory.
 */
export interface Ledger {
  /** `SUBAGENT_CALL` for a call of a subagent. */
  readonly numbers: readonly number[];
  /** Milliseconds since the epoch; unknown: `NaN`, or `null` in JSON. */
  readonly times: readonly (number | null)[];
  readonly models: readonly (string | null)[];
  /** Unknown as in `times`. */
  readonly microUsd: readonly (number | null)[];
  /** Empty in a light replay. */
  readonly usages: readonly Usage[];
}

export const SUBAGENT_CALL = 0;

/** A session in a form for messages between threads and for caches: few reports need the calls, which are most of it. */
export function packed<S extends SessionFigures>(session: S): S & { readonly ledger: string } {
  const { ledger } = session;
  return { ...session, ledger: typeof ledger === 'string' ? ledger : JSON.stringify(ledger) };
}

export function ledgerOf({ ledger }: Pick<SessionFigures, 'ledger'>): Ledger {
  const isPacked = typeof ledger === 'string' || ledger instanceof Uint8Array;
  return isPacked ? (JSON.parse(`${ledger}`) as Ledger) : ledger;
}

export function filterCalls(ledger: Ledger, isKept: (at: number) => boolean): Ledger {
  const filter = <T>(list: readonly T[]) => list.filter((_, at) => isKept(at));
  return {
    numbers: filter(ledger.numbers),
    times: filter(ledger.times),
    models: filter(ledger.models),
    microUsd: filter(ledger.microUsd),
    usages: filter(ledger.usages),
  };
}

export function callsIn(session: Pick<SessionFigures, 'ledger'>): readonly LedgerCall[] {
  const { numbers, times, models, microUsd } = ledgerOf(session);
  return models.map((model, index) => ({
    main: numbers[index] !== SUBAGENT_CALL,
    number: numbers[index] || undefined,
    t: nullIfNaN(times[index]),
    model,
    microUsd: nullIfNaN(microUsd[index]),
  }));
}

function nullIfNaN(figure: number | null = null): number | null {
  return Number.isNaN(figure) ? null : figure;
}

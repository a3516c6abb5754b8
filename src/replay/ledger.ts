import type { Usage } from '../core/protocol/usage.ts';
import type { SessionFigures } from './summary.ts';

/** An API call of the main thread or a subagent, as counted in sums. */
export interface LedgerCall {
  /** Number in the main thread, from 1; `SUBAGENT_CALL` for a call of a subagent. */
  readonly number: number;
  /** Milliseconds since the epoch; null if the recording has no times. */
  readonly t: number | null;
  readonly model: string | null;
  /** Cost at list prices in micro-dollars; null for a model without a price. */
  readonly microUsd: number | null;
  /** Missing in a light replay. */
  readonly usage?: Usage;
}

export const SUBAGENT_CALL = 0;

export function isMain({ number }: LedgerCall): boolean {
  return number !== SUBAGENT_CALL;
}

/** A session in a form for messages between threads and for caches: few reports need the calls, which are most of it. */
export function packed<S extends SessionFigures>(session: S): S & { readonly ledger: string } {
  const { ledger } = session;
  return { ...session, ledger: typeof ledger === 'string' ? ledger : JSON.stringify(ledger) };
}

/** The calls of a recording, including those of subagents. */
export function callsIn({ ledger }: Pick<SessionFigures, 'ledger'>): readonly LedgerCall[] {
  const isPacked = typeof ledger === 'string' || ledger instanceof Uint8Array;
  return isPacked ? (JSON.parse(`${ledger}`) as LedgerCall[]) : ledger;
}

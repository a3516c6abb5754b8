import { CARRIES_COUNTER_SINCE, toMicroUsd, toUsd } from '../core/governor/cost/cost.ts';
import { isAtLeast } from '../core/protocol/version.ts';
import { sumOf } from '../core/text/sum-of.ts';
import type { LedgerCall } from './items-seen.ts';
import type { SessionFigures } from './summary.ts';

/**
 * A process that resumes or forks a session continues its cost counter. The cost before it counts only in the recording
 * of the process before.
 */
export function withoutCarried<S extends SessionFigures>(sessions: readonly S[]): S[] {
  const counters = sessions
    .filter(
      ({ cost, claudeCodeVersion }) => !cost.computed && isAtLeast(claudeCodeVersion ?? '', CARRIES_COUNTER_SINCE),
    )
    .map((session) => ({ session, name: nameOf(session), cost: toMicroUsd(session.cost.usd ?? 0) }))
    .sort((a, b) => a.cost - b.cost);
  const marked = new Map<S, S>();
  for (const { session, name, cost } of counters) {
    const calls = session.ledger();
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

export function nameOf({ sessionId, file }: SessionFigures): string {
  return sessionId ?? file;
}

/** Cost of all calls, in micro-dollars. */
export function microUsdIn(ledger: readonly LedgerCall[]): number {
  return sumOf(ledger, ({ microUsd }) => microUsd ?? 0);
}

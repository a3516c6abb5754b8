import { USUALLY_KEPT } from '../core/governor/relief/outlook.ts';
import type { CallSeen } from './items-seen.ts';

/** Tokens of the last steps that an exact compaction leaves whole, as it shares them out; the last one stays in any case. */
export const LAST_STEPS = 0.6 * USUALLY_KEPT;

/** A call, and by how many tokens the context grew before it. */
interface Grown {
  readonly number: number;
  readonly growth: number;
}

/** The earlier results that the model still sees, as its context is replaced. */
export function createSight(calls: readonly Grown[]) {
  /** Results before this call are gone, unless they were fetched again. */
  let from = 0;
  const fetched = new Map<number, number>();
  const growthBefore = (at: number) => Math.max(0, calls[at]?.growth ?? 0);

  return {
    /** The caller begins a new context: what it lacks is not missed. */
    renew(): void {
      from = 0;
    },
    /** @param at place of the call before which it is compacted */
    relieve(at: number): void {
      let kept = at - 1;
      for (let room = LAST_STEPS - growthBefore(at); kept > 0; kept--) {
        room -= growthBefore(kept);
        if (room < 0) break;
      }
      from = calls[kept]?.number ?? 0;
    },
    /** Tokens of each result that a call uses and does not see. */
    fetch({ number, uses = [] }: Pick<CallSeen, 'number' | 'uses'>): readonly number[] {
      const gone = uses.filter(({ seen, result }) => Math.max(seen, fetched.get(result) ?? 0) < from);
      for (const { result } of gone) fetched.set(result, number);
      return gone.map(({ tokens }) => tokens);
    },
  };
}

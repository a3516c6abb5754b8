import { TOO_SOON, USUALLY_KEPT } from '../core/governor/relief/outlook.ts';
import { sumOf } from '../core/text/sum-of.ts';
import type { CallSeen } from './items-seen.ts';

/** Token budget for the last steps that an exact compaction keeps complete; it always keeps the last one. */
export const LAST_STEPS = 0.6 * USUALLY_KEPT;

/** A call, and the growth of the context before it in tokens. */
interface GrowthAt {
  readonly number: number;
  readonly growth: number;
}

/** Tracks which earlier results the model still sees as its context is replaced. */
export function createSight(calls: readonly GrowthAt[]) {
  /** Results of calls before this number are gone, unless fetched again. */
  let from = 0;
  const fetched = new Map<number, number>();
  /** Used results by number. `last`: the last call that used the result; `times`: the number of such calls. */
  const used = new Map<number, { readonly tokens: number; readonly last: number; readonly times: number }>();
  const growthBefore = (at: number) => Math.max(0, calls[at]?.growth ?? 0);

  return {
    /** The caller starts a new context. Nothing is fetched again for it. */
    renew(): void {
      from = 0;
    },
    /** Results that calls use again and again; a compaction keeps them. @param number of the next call */
    inUse(number: number) {
      const kept = [...used].filter(([, { last, times }]) => times > 1 && number - last <= TOO_SOON);
      return { results: kept.map(([result]) => result), tokens: sumOf(kept, ([, { tokens }]) => tokens) };
    },
    /** Applies a compaction. @param at index of the call that follows @param inUse results that stay */
    relieve(at: number, inUse: readonly number[]): void {
      for (const result of inUse) fetched.set(result, calls[at]?.number ?? 0);
      let kept = at - 1;
      for (let room = LAST_STEPS - growthBefore(at); kept > 0; kept--) {
        room -= growthBefore(kept);
        if (room < 0) break;
      }
      from = calls[kept]?.number ?? 0;
    },
    /** Returns the tokens of each result that a call uses but does not see; marks them as fetched again. */
    fetch({ number, uses = [] }: CallSeen): readonly number[] {
      const outOfSight = uses.filter(({ seen, result }) => Math.max(seen, fetched.get(result) ?? 0) < from);
      for (const { result } of outOfSight) fetched.set(result, number);
      for (const { result, tokens } of uses) {
        used.set(result, { tokens, last: number, times: (used.get(result)?.times ?? 0) + 1 });
      }
      return outOfSight.map(({ tokens }) => tokens);
    },
  };
}

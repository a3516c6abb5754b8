import { handoffLevel, inTokens, type Policy } from '../../governor/policy.ts';
import { latchAt } from '../../governor/relief/ladder.ts';
import type { Latch } from '../../governor/relief/relief-state.ts';
import { sumsFrom } from '../../governor/relief/strategy.ts';
import { isThrashing } from '../../governor/relief/thrash.ts';

/** How ctxb relieves a context. */
export type Way = 'compact' | 'handoff';

/** What ctxb would do at the boundaries of turns, following the contexts of a simulation. */
export interface Ladder {
  /** A reading of the context, in tokens. */
  read(tokens: number): void;
  /** Whether the context is to be relieved before the next turn. `full`: the next request before anything is said. */
  due(full: number): Way | undefined;
  /** The context was replaced, and the first call after it has `tokens`. */
  landed(by: 'own compaction' | 'other compaction' | 'handoff', turn: number, tokens: number): void;
}

/** @param window tokens */
export function createLadder(policy: Policy, window: number): Ladder {
  const { compaction, handoff, strategy, thresholds } = policy;
  const ceiling = inTokens(thresholds.compact, window);
  let latch: Latch = 'none';
  let failures = 0;
  let needsHandoff = false;
  let isUseless = false;
  let boundaries: readonly number[] = [];
  let landings: readonly number[] = [];
  const seen = { first: 0, last: 0, calls: 0, grown: 0 };

  function read(tokens: number): void {
    latch = latchAt(latch, tokens, window, policy);
    if (latch === 'none') forget();
    if (seen.calls === 0) seen.first = tokens;
    else seen.grown += Math.max(0, tokens - seen.last);
    seen.last = tokens;
    seen.calls++;
  }

  function forget(): void {
    failures = 0;
    needsHandoff = false;
    isUseless = false;
  }

  const mayCompact = () => compaction.enabled && failures < compaction.maxAttempts;

  function prefersHandoff(full: number): boolean {
    if (strategy !== 'auto') return strategy === 'handoff';
    const { first, grown, calls } = seen;
    const sums = sumsFrom({ full, ceiling, landings, first, growth: grown / Math.max(1, calls) });
    return sums.handoff < sums.compact;
  }

  function wantsHandoff(full: number): boolean {
    if (!handoff.enabled || isUseless) return false;
    if (needsHandoff || (full >= handoffLevel(policy, window) && !mayCompact())) return true;
    return latch === 'compact' && (isThrashing(boundaries) || prefersHandoff(full));
  }

  return {
    read,
    due(full) {
      latch = latchAt(latch, full, window, policy);
      if (wantsHandoff(full)) return 'handoff';
      return latch === 'compact' && mayCompact() ? 'compact' : undefined;
    },
    landed(by, turn, tokens) {
      const missed = tokens > inTokens(compaction.target, window);
      if (by === 'handoff') {
        needsHandoff = false;
        isUseless = missed;
        return;
      }
      boundaries = [...boundaries, turn].slice(-3);
      landings = [...landings, tokens].slice(-8);
      if (by === 'own compaction') failures = tokens < ceiling ? 0 : failures + 1;
      needsHandoff = missed;
    },
  };
}

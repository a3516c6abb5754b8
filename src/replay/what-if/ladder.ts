import type { Policy } from '../../core/governor/policy.ts';
import {
  chooseWay,
  failuresAfterLanding,
  latchAt,
  missesTarget,
  type Standing,
  UNTRIED,
  type Way,
  withLanding,
} from '../../core/governor/relief/ladder.ts';
import { withBoundary } from '../../core/governor/relief/thrash.ts';
import type { ReliefBy } from './what-if.ts';

/** What ctxb would do between turns: the governor's own choice, on the contexts of a simulation. */
export function createLadder(policy: Policy, window: number) {
  let standing: Standing = {
    latch: 'none',
    compaction: { failures: 0 },
    relief: { ...UNTRIED, boundaries: [], landings: [] },
    session: { commandsOff: false },
    run: { policy },
  };
  const seen = { first: 0, last: 0, calls: 0, grown: 0 };

  const noteRelief = (changes: Partial<Standing['relief']>) => {
    standing = { ...standing, relief: { ...standing.relief, ...changes } };
  };

  return {
    /** A reading of the context, in tokens. */
    read(tokens: number): void {
      const latch = latchAt(standing.latch, tokens, window, policy);
      standing = { ...standing, latch, ...(latch === 'none' && { compaction: { failures: 0 } }) };
      if (latch === 'none') noteRelief(UNTRIED);
      if (seen.calls === 0) seen.first = tokens;
      else seen.grown += Math.max(0, tokens - seen.last);
      seen.last = tokens;
      seen.calls++;
    },
    /** How the context is to be relieved before the next turn. @param full the next request before anything is said */
    due(full: number): Way['way'] | undefined {
      standing = { ...standing, latch: latchAt(standing.latch, full, window, policy) };
      const growth = seen.grown / Math.max(1, seen.calls);
      return chooseWay(standing, { full, window, first: seen.first, growth })?.way;
    },
    /** The context was replaced, and the first call after it has `tokens`. */
    landed(by: ReliefBy, turn: number, tokens: number): void {
      const isMissed = missesTarget(standing, tokens, window);
      if (by === 'handoff') {
        noteRelief({ due: undefined, useless: isMissed });
        return;
      }
      if (by === 'ctxb') {
        standing = { ...standing, compaction: { failures: failuresAfterLanding(standing, tokens, window) } };
      }
      const { boundaries } = withBoundary({ ...standing.relief, refilled: 0 }, { turn, call: 0 });
      const landings = withLanding(standing.relief.landings, tokens);
      noteRelief({ boundaries, landings, due: isMissed ? 'the last compaction missed its target' : undefined });
    },
  };
}

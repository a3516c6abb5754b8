import { priceFor } from '../core/governor/cost/prices.ts';
import { isAnswer } from '../core/governor/facts.ts';
import { LARGE_WINDOW } from '../core/governor/gauge/window.ts';
import type { Policy } from '../core/governor/policy.ts';
import type { CallBegun } from './observers/calls.ts';
import type { ObservedLine, Observer } from './observers/observer.ts';
import { createPlayedSession, type SessionWhatIf } from './played-session.ts';

/**
 * Plays a recorded session again with ctxb. A call is played when the next one begins, because it is complete then.
 *
 * @param calls of the main thread so far
 * @param reliefsBefore whether each compaction or handoff before a call, given by its index, was exact
 */
export function createWhatIf(
  policy: Policy,
  calls: () => readonly CallBegun[],
  reliefsBefore: (index: number) => readonly boolean[],
): Observer<SessionWhatIf | undefined> {
  let played: ReturnType<typeof createPlayedSession> | undefined;
  let window: number | undefined;
  /** The number of the last call, and the lines since its beginning. */
  let number = 0;
  let lines: ObservedLine[] = [];

  function play(): void {
    const call = calls()[number - 1];
    const answers = lines.flatMap(({ input: { event } }) =>
      isAnswer(event) && event.messageId === call?.messageId ? [event] : [],
    );
    const [first] = answers;
    if (call && first) {
      const previous = calls()[number - 2];
      const answer = { ...first, blocks: answers.flatMap(({ blocks }) => blocks) };
      played?.call({ call, previous, reliefs: reliefsBefore(number - 1), answer });
    }
    for (const line of lines) played?.seeLine(line);
    lines = [];
  }

  return {
    see(seen: ObservedLine): void {
      const { facts, gauge, session } = seen.after;
      window = gauge.window.tokens;
      if (facts.call) {
        played ??= createPlayedSession(
          policy,
          gauge.used > LARGEST_PREFIX,
          // A running claude would report its window; without one, assume the large window.
          () => window ?? LARGE_WINDOW,
          (model) => priceFor(model, policy.cost.prices, session.version),
        );
        play();
        number = gauge.calls;
      }
      if (seen.input.event.kind !== 'partial') lines.push(seen);
    },
    found(): SessionWhatIf | undefined {
      play();
      return window === undefined ? undefined : played?.found();
    },
  };
}

/** A session that begins with more tokens continues an earlier conversation. */
const LARGEST_PREFIX = 100_000;

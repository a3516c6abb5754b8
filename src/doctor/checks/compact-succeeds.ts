import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { compactAndClear } from '../scenes/compact-and-clear.ts';
import { eventsOf, resultOf } from '../stage/events.ts';
import { holds, requestsOf, requestWith } from '../stage/requests.ts';

export const compactSucceeds: Check = {
  name: 'compact-succeeds',
  fact: '/compact with a focus puts a summary in the place of the conversation, and says so by a boundary.',
  section: 'Compaction',
  instead: 'a compaction that does not help is tried twice at most, then the work is handed over to a fresh context',
  scene: compactAndClear,
  look(seen) {
    const turn = seen.turns[1] ?? [];
    hold(eventsOf(turn, 'boundary')[0]?.trigger === 'manual', 'there is no compact_boundary with the trigger "manual"');
    hold(resultOf(turn)?.isError === false, 'the result is an error');
    const [summary] = requestsOf(seen, 'summary');
    hold(holds(summary, 'focus on the parser'), 'the summary is asked for without the focus');
    const next = requestWith(seen, 'the prompt after compact');
    hold(holds(next, 'what the summary says'), 'the next request does not hold the summary');
    hold(!holds(next, 'the prompt before'), 'the next request still holds what was before');
  },
};

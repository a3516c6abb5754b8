import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { compactAndClear } from '../scenes/compact-and-clear.ts';
import { eventsOf } from '../stage/events.ts';
import { holds, requestWith } from '../stage/requests.ts';

export const clearForgets: Check = {
  name: 'clear-forgets',
  fact: '/clear empties the conversation, and a new session id or a reset shows it.',
  section: 'Compaction',
  instead: 'a handoff asks claude how full its context is, and starts a new process where that is not empty',
  scene: compactAndClear,
  look(seen) {
    const [, , before = [], clear = [], after = []] = seen.turns;
    const [old, fresh] = [before, [...clear, ...after]].map((turn) => eventsOf(turn, 'init').at(-1)?.sessionId);
    hold(eventsOf(clear, 'reset').length > 0 || old !== fresh, 'nothing shows it');
    const next = requestWith(seen, 'the prompt after clear');
    hold(next !== undefined && !holds(next, 'the prompt after compact'), 'the next request holds what was before');
  },
};

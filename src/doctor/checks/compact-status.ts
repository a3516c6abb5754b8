import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { compactAndClear } from '../scenes/compact-and-clear.ts';
import { eventsOf } from '../stage/events.ts';

export const compactStatus: Check = {
  name: 'compact-status',
  fact: 'claude says when it begins to compact, and how that ended.',
  section: 'Compaction',
  instead:
    'the boundary and the result tell; why a compaction has failed, and whether it was one of a subagent, is not known',
  scene: compactAndClear,
  look({ turns: [, turn = []] }) {
    const phases = eventsOf(turn, 'compact-status').map(({ phase }) => phase);
    hold(phases.includes('compacting'), 'no status line says that it compacts');
    hold(phases.includes('success'), 'no status line says that it has succeeded');
  },
};

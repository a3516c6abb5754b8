import { steps } from '../../standin/scenario.ts';
import { type Check, hold } from '../check.ts';
import { eventsOf } from '../stage/events.ts';

export const compactStatus: Check = {
  name: 'compact-status',
  fact: 'claude says when it begins to compact, and how that ended.',
  section: 'Compaction',
  instead:
    'only the boundary and the result tell: a long compaction looks like silence until compaction.timeoutSeconds',
  scenario: { calls: steps({ count: 1, from: 90_000, growBy: 10_000 }) },
  async play(stage) {
    const claude = await stage.start();
    await claude.turn('a prompt');
    const phases = eventsOf(await claude.turn('/compact'), 'compact-status').map(({ phase }) => phase);
    hold(phases.includes('compacting'), 'no status line says that it compacts');
    hold(phases.includes('success'), 'no status line says that it has succeeded');
  },
};

import { steps } from '../../standin/scenario.ts';
import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { eventsOf, resultOf } from '../stage/events.ts';
import { scene } from '../stage/scene.ts';

export const compactFails: Check = {
  name: 'compact-fails',
  fact: 'A /compact whose summary the API refuses says that it failed and why; the conversation stays as it was.',
  section: 'Compaction',
  instead: 'a /compact without a boundary counts as failed whatever is said; why is not known',
  scene: scene({
    scenario: {
      calls: [...steps({ count: 1, from: 90_000, growBy: 10_000 }), { text: 'the answer after' }],
      summary: { error: { status: 400, message: 'refused on purpose' } },
    },
    says: ['the prompt before', '/compact', 'the prompt after'],
  }),
  look({ turns: [, turn = [], next = []] }) {
    hold(eventsOf(turn, 'boundary').length === 0, 'there is a boundary all the same');
    const failure = eventsOf(turn, 'compact-status').find(({ phase }) => phase === 'failed');
    hold(failure !== undefined, 'no status line says that it failed');
    hold(failure.error?.includes('refused on purpose') === true, `the reason is "${failure.error}"`);
    const after = resultOf(next);
    hold(after?.text === 'the answer after', `the next result says "${after?.text}"`);
  },
};

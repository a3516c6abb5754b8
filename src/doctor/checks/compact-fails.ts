import { steps } from '../../standin/scenario.ts';
import { type Check, hold } from '../check.ts';
import { eventsOf, resultOf } from '../stage/events.ts';

const LONG_TURN = steps({ count: 1, from: 90_000, growBy: 10_000, finalText: 'the answer before' });

export const compactFails: Check = {
  name: 'compact-fails',
  fact: 'A /compact whose summary the API refuses says that it failed and why; the conversation stays as it was.',
  section: 'Compaction',
  instead: 'a /compact without a boundary counts as failed whatever is said; why is not known',
  scenario: {
    calls: [...LONG_TURN, { text: 'the answer after' }],
    summary: { error: { status: 400, message: 'refused on purpose' } },
  },
  async play(stage) {
    const claude = await stage.start();
    await claude.turn('the prompt before');
    const turn = await claude.turn('/compact');
    hold(eventsOf(turn, 'boundary').length === 0, 'there is a boundary all the same');
    const failure = eventsOf(turn, 'compact-status').find(({ phase }) => phase === 'failed');
    hold(failure !== undefined, 'no status line says that it failed');
    hold(failure.error?.includes('refused on purpose') === true, `the reason is "${failure.error}"`);
    const after = resultOf(await claude.turn('the prompt after'));
    hold(after?.text === 'the answer after', `the next result says "${after?.text}"`);
  },
};

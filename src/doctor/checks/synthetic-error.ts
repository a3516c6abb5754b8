import { type Check, hold } from '../check.ts';
import { eventsOf } from '../stage/events.ts';

export const syntheticError: Check = {
  name: 'synthetic-error',
  fact: 'An assistant line that claude makes up itself, such as for an error of the API, says so in its model.',
  section: 'The context gauge',
  instead: 'its usage is all zero in the versions known, and usage that is all zero is not taken either',
  scenario: { calls: () => ({ error: { status: 400, message: 'refused on purpose' } }) },
  async play(stage) {
    const claude = await stage.start();
    const lines = eventsOf(await claude.turn('a prompt'), 'assistant');
    hold(lines.length > 0, 'there is no assistant line');
    hold(
      lines.every(({ synthetic }) => synthetic),
      `its model is "${lines[0]?.model}"`,
    );
  },
};

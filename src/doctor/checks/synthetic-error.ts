import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { refusedCall } from '../scenes/refused-call.ts';
import { eventsOf } from '../stage/events.ts';

export const syntheticError: Check = {
  name: 'synthetic-error',
  fact: 'An assistant line that claude makes up itself, such as for an error of the API, says so in its model.',
  section: 'The context gauge',
  instead: 'its usage is all zero in the versions known, and usage that is all zero is not taken either',
  scene: refusedCall,
  look({ turns: [turn = []] }) {
    const lines = eventsOf(turn, 'assistant');
    hold(lines.length > 0, 'there is no assistant line');
    hold(
      lines.every(({ synthetic }) => synthetic),
      `its model is "${lines[0]?.model}"`,
    );
  },
};

import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { plainTurns } from '../scenes/plain-turns.ts';
import { answersOf } from '../stage/events.ts';

export const oneIdPerCall: Check = {
  name: 'one-id-per-call',
  fact: 'The lines of one API call have one message.id.',
  section: 'The context gauge',
  instead: 'each line counts as a call: growth and cost come out too high until the result corrects the cost',
  scene: plainTurns,
  look({ turns: [turn = []] }) {
    const lines = answersOf(turn);
    const ids = new Set(lines.map(({ messageId }) => messageId)).size;
    hold(ids === 3, `3 calls have ${ids} ids on ${lines.length} lines`);
  },
};

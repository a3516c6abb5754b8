import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { CONTEXTS, plainTurns } from '../scenes/plain-turns.ts';
import { answersOf, contextIn } from '../stage/events.ts';

export const usagePerCall: Check = {
  name: 'usage-per-call',
  fact: 'Each line of an answer carries the tokens that its own API call has read, not a sum.',
  section: 'The context gauge',
  instead:
    'where there is no usage at all, the context is estimated from characters; a sum would be taken for a context',
  vital: true,
  scene: plainTurns,
  look({ turns: [turn = []] }) {
    const shown = answersOf(turn).map(contextIn);
    const text = `calls of ${CONTEXTS.join(', ')} tokens show ${shown.join(', ')}`;
    hold([...new Set(shown)].join() === CONTEXTS.join(), text);
  },
};

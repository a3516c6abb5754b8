import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { plainTurns } from '../scenes/plain-turns.ts';

export const endOfInput: Check = {
  name: 'end-of-input',
  fact: 'When its input is closed, claude ends with exit code 0.',
  section: 'Running it',
  instead: 'a claude that does not end is killed when ctxb is signalled; its exit code is passed on as it is',
  scene: plainTurns,
  look({ end }) {
    hold(end !== undefined, 'it did not end');
    hold(end.code === 0, `it ended with ${end.signal ?? `exit code ${end.code}`}`);
  },
};

import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { plainTurns } from '../scenes/plain-turns.ts';

export const endOfInput: Check = {
  name: 'end-of-input',
  fact: 'When its input is closed, claude ends with exit code 0.',
  section: 'Running it',
  instead: 'nothing: ctxb waits for the end until it is signalled itself; another exit code is passed on as it is',
  scene: plainTurns,
  look({ end }) {
    hold(end !== undefined, 'it did not end');
    hold(end.code === 0, `it ended with ${end.signal ?? `exit code ${end.code}`}`);
  },
};

import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { refusedCall } from '../scenes/refused-call.ts';
import { resultOf } from '../stage/events.ts';

export const exitCodeOfError: Check = {
  name: 'exit-code-of-error',
  fact: 'A turn that the API refuses ends with a result that is an error, and the process with exit code 1.',
  section: 'Running it',
  instead: 'the exit code of a run is taken from the last result that was shown',
  scene: refusedCall,
  look({ turns: [turn = []], end }) {
    hold(resultOf(turn)?.isError === true, 'the result is no error');
    hold(end !== undefined, 'it did not end');
    hold(end.code === 1, `it ended with ${end.signal ?? `exit code ${end.code}`}`);
  },
};

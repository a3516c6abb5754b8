import { type Check, hold } from '../check.ts';
import { resultOf } from '../stage/events.ts';

export const exitCodeOfError: Check = {
  name: 'exit-code-of-error',
  fact: 'A turn that the API refuses ends with a result that is an error, and the process with exit code 1.',
  section: 'Running it',
  instead: 'the exit code of a run is taken from the last result that was shown',
  scenario: { calls: () => ({ error: { status: 400, message: 'refused on purpose' } }) },
  async play(stage) {
    const claude = await stage.start();
    const turn = await claude.turn('a prompt');
    hold(resultOf(turn)?.isError === true, 'the result is no error');
    claude.endInput();
    const { code, signal } = await claude.ended();
    hold(code === 1, `it ended with ${signal ?? `exit code ${code}`}`);
  },
};

import { type Check, hold } from '../check.ts';

export const endOfInput: Check = {
  name: 'end-of-input',
  fact: 'When its input is closed, claude ends with exit code 0.',
  section: 'Running it',
  instead: 'a claude that does not end is killed when ctxb is signalled; its exit code is passed on as it is',
  scenario: { calls: [{ text: 'answer' }] },
  async play(stage) {
    const claude = await stage.start();
    await claude.turn('a prompt');
    claude.endInput();
    const { code, signal } = await claude.ended();
    hold(code === 0, `it ended with ${signal ?? `exit code ${code}`}`);
  },
};

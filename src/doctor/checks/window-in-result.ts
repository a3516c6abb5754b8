import { type Check, hold } from '../check.ts';
import { resultOf } from '../stage/events.ts';

export const windowInResult: Check = {
  name: 'window-in-result',
  fact: 'A result says how large the window of its model is.',
  section: 'The context gauge',
  instead: 'the window is asked for over the control channel, else taken from the name of the model',
  scenario: { calls: [{ text: 'answer' }] },
  async play(stage) {
    const claude = await stage.start();
    const windows = Object.values(resultOf(await claude.turn('a prompt'))?.windows ?? {});
    hold(windows.includes(200_000), `it says ${windows.join(', ') || 'nothing'} for a model of 200000 tokens`);
  },
};

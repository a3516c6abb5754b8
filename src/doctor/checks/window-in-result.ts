import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { plainTurns } from '../scenes/plain-turns.ts';
import { resultOf } from '../stage/events.ts';

export const windowInResult: Check = {
  name: 'window-in-result',
  fact: 'A result says how large the window of its model is.',
  section: 'The context gauge',
  instead: 'the window is asked for over the control channel, else taken from the name of the model',
  scene: plainTurns,
  look({ turns: [turn = []] }) {
    const windows = Object.values(resultOf(turn)?.windows ?? {});
    hold(
      windows.some((tokens) => tokens > 0),
      `it says ${windows.join(', ') || 'nothing'}`,
    );
  },
};

import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { plainTurns } from '../scenes/plain-turns.ts';
import { resultOf } from '../stage/events.ts';

export const costInResult: Check = {
  name: 'cost-in-result',
  fact: 'A result says what the process has cost until then.',
  section: 'Cost',
  instead: 'cost is counted per call from list prices, or from cost.prices',
  scene: plainTurns,
  look({ turns }) {
    const [first = 0, second = 0] = turns.map((turn) => resultOf(turn)?.costUsd);
    hold(first > 0, `after the first turn it says ${first}`);
    hold(second > first, `after the second turn it says ${second}, after the first ${first}`);
  },
};

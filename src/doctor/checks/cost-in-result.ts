import { type Check, hold } from '../check.ts';
import { resultOf } from '../stage/events.ts';

export const costInResult: Check = {
  name: 'cost-in-result',
  fact: 'A result says what the process has cost until then.',
  section: 'Cost',
  instead: 'cost is counted per call from list prices, or from cost.prices',
  scenario: {
    calls: [
      { text: 'one', context: 50_000 },
      { text: 'two', context: 51_000 },
    ],
  },
  async play(stage) {
    const claude = await stage.start();
    const first = resultOf(await claude.turn('the first prompt'))?.costUsd ?? 0;
    const second = resultOf(await claude.turn('the second prompt'))?.costUsd ?? 0;
    hold(first > 0, `after the first turn it says ${first}`);
    hold(second > first, `after the second turn it says ${second}, after the first ${first}`);
  },
};

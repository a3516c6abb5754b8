import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { plainTurns } from '../scenes/plain-turns.ts';
import { eventsOf, resultOf } from '../stage/events.ts';

export const twoWayStream: Check = {
  name: 'two-way-stream',
  fact: 'A prompt on stdin is answered, its turn ends with one result, and the process takes the next prompt.',
  section: 'Running it',
  instead: 'nothing: ctxb speaks to claude in this way only',
  vital: true,
  scene: plainTurns,
  look({ turns }) {
    const answers = ['the first answer', 'the second answer'];
    for (const [index, turn] of turns.entries()) {
      const result = resultOf(turn);
      hold(eventsOf(turn, 'init').length > 0, 'no system/init line before the result');
      hold(result?.isError === false, 'the result is an error');
      hold(result.text === answers[index], `the result says "${result.text}"`);
    }
  },
};

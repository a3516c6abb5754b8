import { type Check, hold } from '../check.ts';
import { eventsOf, resultOf } from '../stage/events.ts';

export const twoWayStream: Check = {
  name: 'two-way-stream',
  fact: 'A prompt on stdin is answered, its turn ends with one result, and the process takes the next prompt.',
  section: 'Running it',
  instead: 'nothing: ctxb speaks to claude in this way only',
  vital: true,
  scenario: { calls: [{ text: 'first answer' }, { text: 'second answer' }] },
  async play(stage) {
    const claude = await stage.start();
    for (const words of ['first', 'second']) {
      const turn = await claude.turn(`the ${words} prompt`);
      hold(eventsOf(turn, 'init').length > 0, 'no system/init line before the result');
      hold(resultOf(turn)?.text === `${words} answer`, `the result says "${resultOf(turn)?.text}"`);
      hold(resultOf(turn)?.isError === false, 'the result is an error');
    }
  },
};

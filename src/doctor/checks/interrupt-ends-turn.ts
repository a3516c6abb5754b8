import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { resultOf } from '../stage/events.ts';
import { seen } from '../stage/scene.ts';

export const interruptEndsTurn: Check = {
  name: 'interrupt-ends-turn',
  fact: 'An interrupt ends the turn with a result, and the process takes the next prompt.',
  section: 'Speaking into a running turn',
  instead: 'Ctrl-C twice ends claude; a limit of cost takes hold when the turn is over',
  scene: {
    scenario: {
      calls: (_, index) => (index === 0 ? { text: 'too late', delayMs: 600_000 } : { text: 'the answer after' }),
    },
    async play(stage) {
      const claude = await stage.start();
      claude.say('the prompt before');
      await stage.request('the first call', ({ kind }) => kind === 'main');
      const { ok } = await claude.ask({ subtype: 'interrupt' });
      hold(ok, 'the interrupt was refused');
      const turn = await claude.until('the result of the turn', ({ kind }) => kind === 'result');
      const after = await claude.turn('the prompt after');
      return seen(stage, claude, { turns: [turn, after] });
    },
  },
  look({ turns: [turn = [], next = []] }) {
    hold(resultOf(turn)?.text !== 'too late', 'the turn went on to its end');
    const after = resultOf(next);
    hold(after?.text === 'the answer after', `the next result says "${after?.text}"`);
  },
};

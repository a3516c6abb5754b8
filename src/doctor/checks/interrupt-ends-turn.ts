import { type Check, hold } from '../check.ts';
import { resultOf } from '../stage/events.ts';

export const interruptEndsTurn: Check = {
  name: 'interrupt-ends-turn',
  fact: 'An interrupt ends the turn with a result, and the process takes the next prompt.',
  section: 'Speaking into a running turn',
  instead: 'the second Ctrl-C, or the limit that stops a run, kills claude; the session is gone on with',
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
    hold(resultOf(turn)?.text !== 'too late', 'the turn went on to its end');
    const after = resultOf(await claude.turn('the prompt after'));
    hold(after?.text === 'the answer after', `the next result says "${after?.text}"`);
  },
};

import { countOf } from '../../stream/fields.ts';
import { type Check, hold } from '../check.ts';
import { untilLogged } from '../stage/session-logs.ts';

const CONTEXT = 125_000;

export const contextOfResumed: Check = {
  name: 'context-of-resumed',
  fact: 'In a session that is gone on with, claude tells the last measured context before the first prompt.',
  section: 'The context gauge',
  instead: 'the context is not known before the first call, so that a full one is not relieved before it',
  scenario: { calls: [{ text: 'answer', context: CONTEXT }] },
  async play(stage) {
    const first = await stage.start();
    await first.turn('a prompt');
    const session = await untilLogged(stage, first, ({ finished }) => finished);
    first.endInput();
    await first.ended();
    const second = await stage.start({ args: ['--model', 'claude-sonnet-4-5', '--resume', session] });
    const { response } = await second.ask({ subtype: 'get_context_usage', detail: 'summary' });
    const total = countOf(response.totalTokens) ?? 0;
    hold(Math.abs(total - CONTEXT) < CONTEXT / 10, `it says ${total} after a call of ${CONTEXT} tokens`);
  },
};

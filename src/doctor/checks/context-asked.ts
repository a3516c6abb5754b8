import { countOf } from '../../stream/fields.ts';
import { type Check, hold } from '../check.ts';
import { requestsOf } from '../stage/requests.ts';

export const contextAsked: Check = {
  name: 'context-asked',
  fact: 'Right after the start claude tells its window when it is asked, without a call of the model.',
  section: 'The context gauge',
  instead: 'the window is assumed until the first result, and claude is not told where to compact by itself before',
  scenario: { calls: [] },
  async play(stage) {
    const claude = await stage.start();
    const { ok, response } = await claude.ask({ subtype: 'get_context_usage', detail: 'summary' });
    hold(ok, 'the question was refused');
    hold(countOf(response.rawMaxTokens) === 200_000, `rawMaxTokens is ${response.rawMaxTokens}, not 200000`);
    hold(countOf(response.totalTokens) !== undefined, 'totalTokens is missing');
    hold(typeof response.isAutoCompactEnabled === 'boolean', 'isAutoCompactEnabled is missing');
    const calls = requestsOf(stage.standin).length;
    hold(calls === 0, `it made ${calls} calls of the model`);
  },
};

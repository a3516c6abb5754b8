import { countOf } from '../../stream/fields.ts';
import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { askedAtTheStart } from '../scenes/asked-at-the-start.ts';
import { requestsOf } from '../stage/requests.ts';

export const contextAsked: Check = {
  name: 'context-asked',
  fact: 'Right after the start claude tells its window when it is asked, without a call of the model.',
  section: 'The context gauge',
  instead: 'the window is not known before the first result: until then nothing is warned of, cut or compacted',
  scene: askedAtTheStart,
  look(seen) {
    const [answer] = seen.answers;
    hold(answer?.ok === true, answer === undefined ? 'there was no answer' : 'the question was refused');
    const { rawMaxTokens, totalTokens, isAutoCompactEnabled } = answer.response;
    hold((countOf(rawMaxTokens) ?? 0) > 0, `rawMaxTokens is ${rawMaxTokens}`);
    hold(countOf(totalTokens) !== undefined, 'totalTokens is missing');
    hold(typeof isAutoCompactEnabled === 'boolean', 'isAutoCompactEnabled is missing');
    const calls = requestsOf(seen).length;
    hold(calls === 0, `it made ${calls} calls of the model`);
  },
};

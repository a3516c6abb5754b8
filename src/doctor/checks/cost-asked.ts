import { fieldsOf } from '../../stream/fields.ts';
import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { askedAtTheStart } from '../scenes/asked-at-the-start.ts';

export const costAsked: Check = {
  name: 'cost-asked',
  fact: 'Before the first prompt claude tells what its session has cost, when it is asked (get_usage).',
  section: 'Cost',
  instead: 'what a session has cost before it is continued may count once more until the first result',
  scene: askedAtTheStart,
  look({ answers: [, answer] }) {
    hold(answer?.ok === true, answer === undefined ? 'there was no answer' : 'the question was refused');
    const total = fieldsOf(answer.response.session).total_cost_usd;
    hold(typeof total === 'number', `session.total_cost_usd is ${total}`);
  },
};

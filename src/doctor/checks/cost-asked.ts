import { fieldsOf } from '../../stream/fields.ts';
import { type Check, hold } from '../check.ts';

export const costAsked: Check = {
  name: 'cost-asked',
  fact: 'Before the first prompt claude tells what its session has cost, when it is asked (get_usage).',
  section: 'Cost',
  instead: 'what a session has cost before it is gone on with may count once more until the first result',
  scenario: { calls: [] },
  async play(stage) {
    const claude = await stage.start();
    const { ok, response } = await claude.ask({ subtype: 'get_usage' });
    hold(ok, 'the question was refused');
    const total = fieldsOf(response.session).total_cost_usd;
    hold(typeof total === 'number', `session.total_cost_usd is ${total}`);
  },
};

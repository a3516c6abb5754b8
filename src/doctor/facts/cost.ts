import { fieldsOf } from '../../core/protocol/fields.ts';
import { type Check, expectFact, factsOf } from '../check.ts';
import { askedAtTheStart, plainTurns } from '../scenes.ts';
import { bash, requestsOf, resultOf, scene } from '../stage/scene.ts';

export const COST_FACTS: readonly Check[] = factsOf('Cost', [
  {
    name: 'cost-in-result',
    fact: 'A result says what the process has cost until then.',
    instead: 'cost is counted per call from list prices, or from cost.prices',
    scene: plainTurns,
    look({ turns }) {
      const [first = 0, second = 0] = turns.map((turn) => resultOf(turn)?.costUsd);
      expectFact(first > 0, `after the first turn it says ${first}`);
      expectFact(second > first, `after the second turn it says ${second}, after the first ${first}`);
    },
  },
  {
    name: 'cost-asked',
    fact: 'Before the first prompt claude tells what its session has cost, when it is asked (get_usage).',
    instead: 'what a session has cost before it is continued may count once more until the first result',
    scene: askedAtTheStart,
    look({ answers: [, answer] }) {
      expectFact(answer?.ok === true, answer === undefined ? 'there was no answer' : 'the question was refused');
      const total = fieldsOf(answer.response.session).total_cost_usd;
      expectFact(typeof total === 'number', `session.total_cost_usd is ${total}`);
    },
  },
  {
    name: 'budget-stops',
    fact: 'With --max-budget-usd claude stops at the call that crosses the limit, in the middle of a turn.',
    instead: 'ctxb interrupts the turn itself, as soon as it has counted the call',
    scene: scene({
      scenario: {
        calls: (_, index) => (index < 5 ? { tools: [bash('true')], context: 100_000 } : { text: 'too late' }),
      },
      args: ['--max-budget-usd', '0.000001'],
      says: ['a prompt'],
    }),
    look(seen) {
      const calls = requestsOf(seen).length;
      expectFact(calls === 1, `it made ${calls} calls`);
      expectFact(resultOf(seen.turns[0] ?? [])?.isError === true, 'the result is not an error');
    },
  },
]);

import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { resultOf } from '../stage/events.ts';
import { requestsOf } from '../stage/requests.ts';
import { scene } from '../stage/scene.ts';

export const budgetStops: Check = {
  name: 'budget-stops',
  fact: 'With --max-budget-usd claude stops at the call that crosses the limit, in the middle of a turn.',
  section: 'Cost',
  instead: 'ctxb interrupts the turn itself, as soon as it has counted the call',
  scene: scene({
    scenario: {
      calls: (_, index) =>
        index < 5 ? { tools: [{ name: 'Bash', input: { command: 'true' } }], context: 100_000 } : { text: 'too late' },
    },
    args: ['--max-budget-usd', '0.000001'],
    says: ['a prompt'],
  }),
  look(seen) {
    const calls = requestsOf(seen).length;
    hold(calls === 1, `it made ${calls} calls`);
    hold(resultOf(seen.turns[0] ?? [])?.isError === true, 'the result is no error');
  },
};

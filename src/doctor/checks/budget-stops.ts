import { type Check, hold } from '../check.ts';
import { resultOf } from '../stage/events.ts';
import { requestsOf } from '../stage/requests.ts';

export const budgetStops: Check = {
  name: 'budget-stops',
  fact: 'With --max-budget-usd claude stops at the call that crosses the limit, in the middle of a turn.',
  section: 'Cost',
  instead: 'ctxb interrupts the turn itself, as soon as it has counted the call',
  scenario: { calls: () => ({ tools: [{ name: 'Bash', input: { command: 'true' } }], context: 100_000 }) },
  async play(stage) {
    const claude = await stage.start({ args: ['--model', 'claude-sonnet-4-5', '--max-budget-usd', '0.000001'] });
    const turn = await claude.turn('a prompt');
    hold(resultOf(turn)?.isError === true, 'the result is no error');
    const calls = requestsOf(stage.standin).length;
    hold(calls === 1, `it made ${calls} calls`);
  },
};

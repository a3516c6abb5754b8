import { randomUUID } from 'node:crypto';
import { type Check, hold } from '../check.ts';
import { resultOf } from '../stage/events.ts';
import { holds, requestsOf } from '../stage/requests.ts';
import { untilLogged } from '../stage/session-logs.ts';

export const resumeAfterKill: Check = {
  name: 'resume-after-kill',
  fact: 'After SIGKILL a new process goes on with the session (--resume), with all that was said before.',
  section: 'Running it',
  instead: 'a fresh session is begun with what the notes know',
  scenario: { calls: [{ text: 'the answer before' }, { text: 'the answer after' }] },
  async play(stage) {
    const first = await stage.start();
    const uuid = randomUUID();
    await first.turn('the prompt before', uuid);
    const session = await untilLogged(stage, first, ({ delivered, finished }) => delivered.has(uuid) && finished);
    first.kill('SIGKILL');
    await first.ended();
    const second = await stage.start({ args: ['--model', 'claude-sonnet-4-5', '--resume', session] });
    const turn = await second.turn('the prompt after');
    hold(resultOf(turn)?.text === 'the answer after', `the result says "${resultOf(turn)?.text}"`);
    const request = requestsOf(stage.standin).at(-1);
    hold(holds(request, 'the prompt before'), 'the next request does not hold the prompt from before');
    hold(holds(request, 'the answer before'), 'the next request does not hold the answer from before');
  },
};

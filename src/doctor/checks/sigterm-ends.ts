import { type Check, hold } from '../check.ts';

export const sigtermEnds: Check = {
  name: 'sigterm-ends',
  fact: 'SIGTERM ends claude in the middle of a turn, without a result.',
  section: 'Running it',
  instead: 'claude is killed five seconds later',
  scenario: { calls: [{ text: 'too late', delayMs: 600_000 }] },
  async play(stage) {
    const claude = await stage.start();
    claude.say('a prompt');
    await stage.request('the first call', ({ kind }) => kind === 'main');
    claude.kill('SIGTERM');
    const { code, signal } = await claude.ended();
    hold(code === 143 || signal === 'SIGTERM', `it ended with ${signal ?? `exit code ${code}`}`);
    hold(!claude.events.some(({ kind }) => kind === 'result'), 'there was a result all the same');
  },
};

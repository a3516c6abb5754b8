import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { seen } from '../stage/scene.ts';

export const sigtermEnds: Check = {
  name: 'sigterm-ends',
  fact: 'SIGTERM ends claude in the middle of a turn, without a result.',
  section: 'Running it',
  instead: 'claude is killed five seconds later',
  scene: {
    scenario: { calls: [{ text: 'too late', delayMs: 600_000 }] },
    async play(stage) {
      const claude = await stage.start();
      claude.say('a prompt');
      await stage.request('the first call', ({ kind }) => kind === 'main');
      claude.kill('SIGTERM');
      const end = await claude.ended();
      return seen(stage, claude, { turns: [claude.events], end });
    },
  },
  look({ turns: [turn = []], end }) {
    hold(end?.code === 143 || end?.signal === 'SIGTERM', `it ended with ${end?.signal ?? `exit code ${end?.code}`}`);
    hold(!turn.some(({ kind }) => kind === 'result'), 'there was a result all the same');
  },
};

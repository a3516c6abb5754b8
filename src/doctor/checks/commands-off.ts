import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { scene } from '../stage/scene.ts';
import { verdictIn } from '../stage/verdict.ts';

export const commandsOff: Check = {
  name: 'commands-off',
  fact: 'With --disable-slash-commands, a /compact is answered that it is not available.',
  section: 'Compaction',
  instead: 'it counts as a failed compaction, and after two of them the work is handed over',
  scene: scene({
    scenario: { calls: [{ text: 'answer', context: 100_000 }] },
    args: ['--disable-slash-commands'],
    says: ['a prompt', '/compact'],
  }),
  look({ turns: [, turn = []] }) {
    const verdict = verdictIn(turn);
    hold(verdict === 'refused', `the verdict would be "${verdict}"`);
  },
};

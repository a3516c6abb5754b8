import { type Check, hold } from '../check.ts';
import { verdictIn } from '../stage/verdict.ts';

export const commandsOff: Check = {
  name: 'commands-off',
  fact: 'With --disable-slash-commands, a /compact is answered that it is not available.',
  section: 'Compaction',
  instead: 'it counts as a failed compaction, and after two of them the work is handed over',
  scenario: { calls: [{ text: 'answer', context: 100_000 }, { text: 'taken for a prompt' }] },
  async play(stage) {
    const claude = await stage.start({ args: ['--disable-slash-commands'] });
    await claude.turn('a prompt');
    const verdict = verdictIn(await claude.turn('/compact'));
    hold(verdict === 'refused', `the verdict would be "${verdict}"`);
  },
};

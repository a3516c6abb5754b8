import { type Check, hold } from '../check.ts';
import { verdictIn } from '../stage/verdict.ts';

export const compactEmpty: Check = {
  name: 'compact-empty',
  fact: 'A /compact of an empty conversation says that there is nothing to compact.',
  section: 'Compaction',
  instead: 'it counts as a failed compaction, of which two in a row are the last',
  scenario: { calls: [] },
  async play(stage) {
    const claude = await stage.start();
    const verdict = verdictIn(await claude.turn('/compact'));
    hold(verdict === 'empty', `the verdict would be "${verdict}"`);
  },
};

import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { scene } from '../stage/scene.ts';
import { verdictIn } from '../stage/verdict.ts';

export const compactEmpty: Check = {
  name: 'compact-empty',
  fact: 'A /compact of an empty conversation says that there is nothing to compact.',
  section: 'Compaction',
  instead: 'it counts as a failed compaction, of which two in a row are the last',
  scene: scene({ scenario: { calls: [] }, says: ['/compact'] }),
  look({ turns: [turn = []] }) {
    const verdict = verdictIn(turn);
    hold(verdict === 'empty', `the verdict would be "${verdict}"`);
  },
};

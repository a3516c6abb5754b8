import { steps } from '../../standin/scenario.ts';
import { type Check, hold } from '../check.ts';

export const hookPostCompact: Check = {
  name: 'hook-post-compact',
  fact: 'PostCompact is called with the summary.',
  section: 'Hooks over the control channel',
  instead: 'the summary is taken from the stream, where this claude shows it; else nothing is handed back twice',
  scenario: {
    calls: steps({ count: 1, from: 90_000, growBy: 10_000 }),
    summary: { text: '<summary>what the summary says</summary>' },
  },
  async play(stage) {
    const claude = await stage.start({ hooks: { PostCompact: () => ({}) } });
    await claude.turn('a prompt');
    await claude.turn('/compact');
    hold(claude.calls.length > 0, 'it was not called');
    const summary = String(claude.calls[0]?.input.compact_summary);
    hold(summary.includes('what the summary says'), `compact_summary is ${summary.slice(0, 80)}`);
  },
};

import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { compactAndClear } from '../scenes/compact-and-clear.ts';

export const hookPostCompact: Check = {
  name: 'hook-post-compact',
  fact: 'PostCompact is called with the summary.',
  section: 'Hooks over the control channel',
  instead: 'the summary is taken from the stream, where this claude shows it; else nothing is handed back twice',
  scene: compactAndClear,
  look({ calls }) {
    const call = calls.find(({ hook }) => hook === 'PostCompact');
    hold(call !== undefined, 'it was not called');
    const summary = String(call.input.compact_summary);
    hold(summary.includes('what the summary says'), `compact_summary is ${summary.slice(0, 80)}`);
  },
};

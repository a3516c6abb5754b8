import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { compactAndClear } from '../scenes/compact-and-clear.ts';
import { requestsOf } from '../stage/requests.ts';

export const hookPreCompact: Check = {
  name: 'hook-pre-compact',
  fact: 'PreCompact is called before a compaction, and its systemMessage becomes part of what the summary is to do.',
  section: 'Hooks over the control channel',
  instead: 'a compaction that claude begins itself has no focus; the notes are on disk anyway',
  scene: compactAndClear,
  look(seen) {
    const call = seen.calls.find(({ hook }) => hook === 'PreCompact');
    hold(call !== undefined, 'it was not called');
    hold(call.input.trigger === 'manual', `its trigger is "${call.input.trigger}"`);
    const said = JSON.stringify(requestsOf(seen, 'summary')[0]?.body ?? {}).includes('keep the paths');
    hold(said, 'the request for the summary does not hold its systemMessage');
  },
};

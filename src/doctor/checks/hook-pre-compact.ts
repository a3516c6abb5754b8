import { steps } from '../../standin/scenario.ts';
import { type Check, hold } from '../check.ts';
import { requestsOf } from '../stage/requests.ts';

export const hookPreCompact: Check = {
  name: 'hook-pre-compact',
  fact: 'PreCompact is called before a compaction, and its systemMessage becomes part of what the summary is to do.',
  section: 'Hooks over the control channel',
  instead: 'a compaction that claude begins itself has no focus; notes are written anyway, after every line',
  scenario: { calls: steps({ count: 1, from: 90_000, growBy: 10_000 }) },
  async play(stage) {
    const claude = await stage.start({ hooks: { PreCompact: () => ({ systemMessage: 'keep the paths' }) } });
    await claude.turn('a prompt');
    await claude.turn('/compact');
    hold(claude.calls[0]?.input.trigger === 'manual', 'it was not called with the trigger "manual"');
    const said = JSON.stringify(requestsOf(stage.standin, 'summary')[0]?.body ?? {}).includes('keep the paths');
    hold(said, 'the request for the summary does not hold its systemMessage');
  },
};

import { type Check, hold } from '../check.ts';

export const controlChannel: Check = {
  name: 'control-channel',
  fact: 'initialize, with the hooks, is answered with success.',
  section: 'Hooks over the control channel',
  instead: 'nothing: notes, tool budgets and the place of the trigger need it',
  vital: true,
  scenario: { calls: [] },
  async play(stage) {
    const claude = await stage.start({ hooks: { PreCompact: () => ({}), SessionStart: () => ({}) } });
    const { ok } = await claude.opened;
    hold(ok, 'it was refused');
  },
};

import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { askedAtTheStart } from '../scenes/asked-at-the-start.ts';

export const controlChannel: Check = {
  name: 'control-channel',
  fact: 'initialize, with the hooks, is answered with success.',
  section: 'Hooks over the control channel',
  instead: 'nothing: notes, tool budgets and the place of the trigger need it',
  vital: true,
  scene: askedAtTheStart,
  look({ opened }) {
    hold(opened !== undefined, 'there was no answer');
    hold(opened.ok, 'it was refused');
  },
};

import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { resumedAfterKill, UUID } from '../scenes/resumed-after-kill.ts';

export const promptInSessionLog: Check = {
  name: 'prompt-in-session-log',
  fact: "A prompt's uuid is the uuid of its row in claude's own session log.",
  section: 'Running it',
  instead: 'after a crash the prompts of the turn that was under way are sent again, though claude may know them',
  scene: resumedAfterKill,
  look({ log }) {
    hold(log?.delivered.has(UUID) === true, 'the log does not hold it');
  },
};

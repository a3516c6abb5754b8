import { randomUUID } from 'node:crypto';
import type { Check } from '../check.ts';
import { seen } from '../stage/scene.ts';
import { untilLogged } from '../stage/session-logs.ts';

const UUID = randomUUID();

export const promptInSessionLog: Check = {
  name: 'prompt-in-session-log',
  fact: "A prompt's uuid is the uuid of its row in claude's own session log.",
  section: 'Running it',
  instead: 'after a crash the prompts of the turn that was under way are sent again, though claude may know them',
  scene: {
    scenario: { calls: [{ text: 'answer' }] },
    async play(stage) {
      const claude = await stage.start();
      const turn = await claude.turn('a prompt', UUID);
      await untilLogged(stage, claude, ({ delivered }) => delivered.has(UUID));
      return seen(stage, claude, { turns: [turn] });
    },
  },
  // Until the log holds it, the scene does not end.
  look: () => {},
};

import { randomUUID } from 'node:crypto';
import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { eventsOf } from '../stage/events.ts';
import { seen } from '../stage/scene.ts';

const UUID = randomUUID();

export const replayedPrompt: Check = {
  name: 'replayed-prompt',
  fact: 'With --replay-user-messages claude shows each prompt again, under its own uuid and marked as a replay.',
  section: 'Running it',
  instead: 'such echoes are shown to the caller, also those of lines that ctxb has sent',
  scene: {
    scenario: { calls: [{ text: 'answer' }] },
    async play(stage) {
      const claude = await stage.start({ args: ['--replay-user-messages'] });
      return seen(stage, claude, { turns: [await claude.turn('a prompt', UUID)] });
    },
  },
  look({ turns: [turn = []] }) {
    const echoes = eventsOf(turn, 'user').filter(({ uuid }) => uuid === UUID);
    hold(echoes.length === 1, `${echoes.length} lines have its uuid`);
    hold(echoes[0]?.replay === true, 'the line is not marked as a replay');
  },
};

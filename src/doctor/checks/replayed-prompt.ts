import { randomUUID } from 'node:crypto';
import { type Check, hold } from '../check.ts';
import { eventsOf } from '../stage/events.ts';

export const replayedPrompt: Check = {
  name: 'replayed-prompt',
  fact: 'With --replay-user-messages claude shows each prompt again, under its own uuid and marked as a replay.',
  section: 'Running it',
  instead: 'such echoes are shown to the caller, also those of lines that ctxb has sent',
  scenario: { calls: [{ text: 'answer' }] },
  async play(stage) {
    const claude = await stage.start({ args: ['--replay-user-messages'] });
    const uuid = randomUUID();
    const echoes = eventsOf(await claude.turn('a prompt', uuid), 'user').filter((event) => event.uuid === uuid);
    hold(echoes.length === 1, `${echoes.length} lines have its uuid`);
    hold(echoes[0]?.replay === true, 'the line is not marked as a replay');
  },
};

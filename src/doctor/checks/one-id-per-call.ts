import { type Check, hold } from '../check.ts';
import { answersOf, contextOf } from '../stage/events.ts';

export const oneIdPerCall: Check = {
  name: 'one-id-per-call',
  fact: 'The lines of one API call have one message.id and the same figures.',
  section: 'The context gauge',
  instead: 'each line counts as a call: growth and cost come out too high until the result corrects the cost',
  scenario: {
    calls: [
      { thinking: 'a thought', text: 'a word', tools: [{ name: 'Bash', input: { command: 'true' } }], context: 30_000 },
      { text: 'done', context: 31_000 },
    ],
  },
  async play(stage) {
    const claude = await stage.start();
    const lines = answersOf(await claude.turn('a prompt')).slice(0, -1);
    hold(lines.length > 0, 'there is no line of the first call');
    hold(new Set(lines.map(({ messageId }) => messageId)).size === 1, 'its lines have more than one message.id');
    hold(
      lines.every((line) => contextOf(line) === 30_000),
      'their figures differ',
    );
  },
};

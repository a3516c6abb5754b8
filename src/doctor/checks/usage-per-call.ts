import { type Check, hold } from '../check.ts';
import { answersOf, contextOf } from '../stage/events.ts';

const CONTEXTS = [31_000, 42_000, 53_000];

export const usagePerCall: Check = {
  name: 'usage-per-call',
  fact: 'Each line of an answer carries the tokens that its own API call has read, not a sum.',
  section: 'The context gauge',
  instead: 'the context is estimated from characters, and marked so',
  scenario: {
    calls: CONTEXTS.map((context, index) =>
      index < 2 ? { tools: [{ name: 'Bash', input: { command: 'true' } }], context } : { text: 'done', context },
    ),
  },
  async play(stage) {
    const claude = await stage.start();
    const seen = answersOf(await claude.turn('a prompt')).map(contextOf);
    hold(seen.join() === CONTEXTS.join(), `calls of ${CONTEXTS.join(', ')} tokens show ${seen.join(', ')}`);
  },
};

import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { answersOf, contextIn, eventsOf } from '../stage/events.ts';
import { scene } from '../stage/scene.ts';

export const subagentLines: Check = {
  name: 'subagent-lines',
  fact: 'Lines of a subagent name the call that has started it; those of the main thread name none.',
  section: 'Subagents',
  instead: "a subagent's calls would pass for the main thread's: the context would seem to jump",
  scene: scene({
    scenario: {
      calls: [
        {
          tools: [
            { name: 'Agent', input: { description: 'A task', prompt: 'Do it.', subagent_type: 'general-purpose' } },
          ],
          context: 90_000,
        },
        { text: 'done', context: 91_000 },
      ],
      subagentCalls: [
        { tools: [{ name: 'Bash', input: { command: 'true' } }], context: 12_000 },
        { text: 'the subagent is done', context: 13_000 },
      ],
    },
    says: ['a prompt'],
  }),
  look({ turns: [turn = []] }) {
    const main = answersOf(turn).map(contextIn);
    hold(main.join() === '90000,91000', `calls of 90000, 91000 tokens show ${main.join(', ')} on the main thread`);
    const others = eventsOf(turn, 'assistant').filter(({ subagent }) => subagent !== null);
    hold(others.length > 0, 'no line is marked as one of a subagent');
  },
};

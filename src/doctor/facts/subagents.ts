import { type Check, expectFact, factsOf } from '../check.ts';
import { answersOf, contextIn, eventsOf } from '../stage/read-seen.ts';
import { bash, scene } from '../stage/scene.ts';

const AGENT = { description: 'A task', prompt: 'Do it.', subagent_type: 'general-purpose', run_in_background: false };

export const SUBAGENTS_FACTS: readonly Check[] = factsOf('Subagents', [
  {
    name: 'subagent-lines',
    fact: 'Lines of a subagent name the call that has started it; those of the main thread name none.',
    instead: "a subagent's calls would pass for the main thread's: the context would seem to jump",
    scene: scene({
      scenario: {
        calls: [
          { tools: [{ name: 'Agent', input: AGENT }], context: 90_000 },
          { text: 'done', context: 91_000 },
        ],
        subagentCalls: [
          { tools: [bash('true')], context: 12_000 },
          { text: 'the subagent is done', context: 13_000 },
        ],
      },
      says: ['a prompt'],
    }),
    look({ turns: [turn = []] }) {
      const main = answersOf(turn).map(contextIn);
      const text = `calls of 90000, 91000 tokens show ${main.join(', ')} on the main thread`;
      expectFact(main.join() === '90000,91000', text);
      const others = eventsOf(turn, 'assistant').filter(({ subagent }) => subagent !== null);
      expectFact(others.length > 0, 'no line is marked as one of a subagent');
    },
  },
]);

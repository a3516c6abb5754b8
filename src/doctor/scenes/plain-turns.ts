import { scene } from '../stage/scene.ts';

/** Contexts of the calls of the first turn, in tokens. */
export const CONTEXTS = [31_000, 42_000, 53_000] as const;

const TOOL = { name: 'Bash', input: { command: 'true' } };

/** Two prompts, the first of them with two tools; then the end. */
export const plainTurns = scene({
  scenario: {
    calls: [
      { thinking: 'a thought', text: 'a word', tools: [TOOL], context: CONTEXTS[0] },
      { tools: [TOOL], context: CONTEXTS[1] },
      { text: 'the first answer', context: CONTEXTS[2] },
      { text: 'the second answer', context: 54_000 },
    ],
  },
  says: ['the first prompt', 'the second prompt'],
  ends: true,
});

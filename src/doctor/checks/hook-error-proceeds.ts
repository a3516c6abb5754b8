import type { HookName } from '../../governor/actions.ts';
import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { eventsOf, resultOf } from '../stage/events.ts';
import { holds, requestsOf } from '../stage/requests.ts';
import { scene } from '../stage/scene.ts';

const HOOKS: readonly HookName[] = [
  ...(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure'] as const),
  ...(['PreCompact', 'SessionStart', 'PostCompact'] as const),
];

export const hookErrorProceeds: Check = {
  name: 'hook-error-proceeds',
  fact: 'A hook that is answered with an error lets claude go on as if there were none: prompts, tools, compactions.',
  section: 'Hooks over the control channel',
  instead: 'nothing: a hook that takes too long would hang the turn or lose the prompt',
  vital: true,
  scene: scene({
    scenario: {
      calls: [
        {
          tools: [
            { name: 'Bash', input: { command: 'printf %s%s printed -by-the-tool' } },
            { name: 'Bash', input: { command: 'exit 3' } },
          ],
        },
        { text: 'the answer', context: 100_000 },
        { text: 'the answer after' },
      ],
    },
    hooks: Object.fromEntries(HOOKS.map((name) => [name, () => 'error'])),
    says: ['the prompt', '/compact', 'the prompt after'],
  }),
  look(seen) {
    const [turn = [], compact = [], after = []] = seen.turns;
    const [first, second] = requestsOf(seen);
    hold(holds(first, 'the prompt'), 'the prompt did not reach the model');
    hold(holds(second, 'printed-by-the-tool'), 'the tool did not run');
    hold(resultOf(turn)?.text === 'the answer', `the result says "${resultOf(turn)?.text}"`);
    hold(eventsOf(compact, 'boundary').length > 0, 'it did not compact');
    hold(resultOf(after)?.text === 'the answer after', `the next result says "${resultOf(after)?.text}"`);
  },
};

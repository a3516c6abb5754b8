import type { HookName } from '../../governor/actions.ts';
import { type Check, hold } from '../check.ts';
import { eventsOf, resultOf } from '../stage/events.ts';
import { holds, requestsOf } from '../stage/requests.ts';

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
  scenario: {
    calls: [
      {
        tools: [
          { name: 'Bash', input: { command: 'printf what-the-tool-printed' } },
          { name: 'Bash', input: { command: 'exit 3' } },
        ],
      },
      { text: 'the answer', context: 100_000 },
      { text: 'the answer after' },
    ],
  },
  async play(stage) {
    const claude = await stage.start({ hooks: Object.fromEntries(HOOKS.map((name) => [name, () => 'error'])) });
    const turn = await claude.turn('the prompt');
    hold(holds(requestsOf(stage.standin)[0], 'the prompt'), 'the prompt did not reach the model');
    hold(holds(requestsOf(stage.standin)[1], 'what-the-tool-printed'), 'the tool did not run');
    hold(resultOf(turn)?.text === 'the answer', `the result says "${resultOf(turn)?.text}"`);
    hold(eventsOf(await claude.turn('/compact'), 'boundary').length > 0, 'it did not compact');
    const after = resultOf(await claude.turn('the prompt after'));
    hold(after?.text === 'the answer after', `the next result says "${after?.text}"`);
  },
};

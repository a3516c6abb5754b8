import { NATIVE_RESERVE_TOKENS } from '../../governor/policy.ts';
import { steps } from '../../standin/scenario.ts';
import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { eventsOf } from '../stage/events.ts';
import { hookOutput } from '../stage/hook-output.ts';
import { holds, requestsOf } from '../stage/requests.ts';
import { scene } from '../stage/scene.ts';

const TRIGGER = 120_000;
const SETTING = String(TRIGGER + NATIVE_RESERVE_TOKENS);
const GIVEN_BACK = hookOutput('SessionStart', { additionalContext: 'what was given back' });

export const triggerMoved: Check = {
  name: 'trigger-moved',
  fact: "claude's own trigger is moved while it runs (apply_flag_settings); it then compacts in the middle of a turn.",
  section: 'Compaction',
  instead: 'the trigger stays where claude has it; in one long turn nothing can be done before that',
  scene: scene({
    scenario: { calls: [...steps({ count: 4, from: 90_000, growBy: 20_000 }), { text: 'Done.', context: 30_000 }] },
    hooks: { SessionStart: ({ source }) => (source === 'compact' ? GIVEN_BACK : {}) },
    asks: [{ subtype: 'apply_flag_settings', settings: { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: SETTING } } }],
    says: ['the long prompt'],
  }),
  look(seen) {
    const { answers, turns } = seen;
    hold(answers[0]?.ok === true, 'the setting was refused');
    hold(eventsOf(turns[0] ?? [], 'boundary')[0]?.trigger === 'auto', 'it did not compact by itself');
    const [summary] = requestsOf(seen, 'summary');
    const calls = requestsOf(seen).filter(({ index }) => index < (summary?.index ?? 0)).length;
    // 90,000 and 110,000 are below, 130,000 is above.
    hold(calls === 3, `with ${TRIGGER} tokens it compacted after ${calls} calls of 90000, 110000, 130000, …`);
    const next = requestsOf(seen).find(({ index }) => index > (summary?.index ?? 0));
    hold(holds(next, 'what was given back'), 'what the hook SessionStart gave back is not in the next request');
  },
};

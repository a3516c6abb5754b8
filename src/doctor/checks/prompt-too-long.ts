import { isExhaustion } from '../../governor/relief/exhaustion.ts';
import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { resultOf } from '../stage/events.ts';
import { scene } from '../stage/scene.ts';

export const promptTooLong: Check = {
  name: 'prompt-too-long',
  fact: 'A prompt that the API refuses as too long, and that claude cannot make room for, ends in a result that says so.',
  section: 'Compaction',
  instead: 'the caller gets the error: the context is not relieved at once, but before the next prompt',
  scene: scene({
    scenario: { calls: () => ({ error: { status: 400 } }), summary: { error: { status: 400 } } },
    env: { DISABLE_AUTO_COMPACT: '1' },
    says: ['a prompt'],
  }),
  look({ turns: [turn = []] }) {
    const result = resultOf(turn);
    hold(result !== undefined && isExhaustion(result), `the result says "${result?.text}" (${result?.terminalReason})`);
  },
};

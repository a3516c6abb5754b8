import { isExhaustion } from '../../governor/relief/relief.ts';
import { type Check, hold } from '../check.ts';
import { resultOf } from '../stage/events.ts';

export const promptTooLong: Check = {
  name: 'prompt-too-long',
  fact: 'A prompt that the API refuses as too long, and that claude cannot make room for, ends in a result that says so.',
  section: 'Compaction',
  instead: 'the caller gets the error: the context is not relieved at once, but before the next prompt',
  scenario: { calls: () => ({ error: { status: 400 } }), summary: { error: { status: 400 } } },
  async play(stage) {
    const claude = await stage.start({ env: { DISABLE_AUTO_COMPACT: '1' } });
    const result = resultOf(await claude.turn('a prompt'));
    hold(result !== undefined && isExhaustion(result), `the result says "${result?.text}" (${result?.terminalReason})`);
  },
};

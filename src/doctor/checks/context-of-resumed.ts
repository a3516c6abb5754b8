import { countOf } from '../../stream/fields.ts';
import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { CONTEXT, resumedAfterKill } from '../scenes/resumed-after-kill.ts';

export const contextOfResumed: Check = {
  name: 'context-of-resumed',
  fact: 'In a session that is continued, claude tells the last measured context before the first prompt.',
  section: 'The context gauge',
  instead: 'the context is not known before the first call, so that a full one is not relieved before it',
  scene: resumedAfterKill,
  look({ answers: [answer] }) {
    const total = countOf(answer?.response.totalTokens) ?? 0;
    hold(Math.abs(total - CONTEXT) < CONTEXT / 10, `it says ${total} after a call of ${CONTEXT} tokens`);
  },
};

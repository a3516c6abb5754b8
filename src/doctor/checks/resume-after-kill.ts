import type { Check } from '../check.ts';
import { hold } from '../contradiction.ts';
import { resumedAfterKill } from '../scenes/resumed-after-kill.ts';
import { resultOf } from '../stage/events.ts';
import { holds, requestsOf } from '../stage/requests.ts';

export const resumeAfterKill: Check = {
  name: 'resume-after-kill',
  fact: 'After SIGKILL a new process goes on with the session (--resume), with all that was said before.',
  section: 'Running it',
  instead: 'where claude says that it knows no such session, a fresh one is begun with what the notes know',
  scene: resumedAfterKill,
  look(seen) {
    const result = resultOf(seen.turns[1] ?? []);
    hold(result?.text === 'the answer after', `the result says "${result?.text}"`);
    for (const words of ['the prompt before', 'the answer before']) {
      hold(holds(requestsOf(seen).at(-1), words), `the next request does not hold ${words}`);
    }
  },
};

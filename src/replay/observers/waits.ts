import type { Waits } from '../summary.ts';
import type { Observer } from './seen.ts';

const NONE = { limits: 0, limitMs: 0, outages: 0, outageMs: 0 };

/** How long the API did not answer, for a usage limit or an outage: from the first refusal until the next answer. */
export function createWaits(waits = { ...NONE }): Observer<Waits, typeof NONE> {
  return {
    state: waits,
    see({ input, before, after }) {
      const { wait } = before;
      if (wait === undefined || wait.phase === 'over') return;
      if (after.wait !== undefined && after.wait.phase !== 'over') return;
      // Where nothing has come, nobody knows that it was waited for longer.
      const end =
        after.wait === undefined && input.event.kind === 'assistant' ? input.t : Math.min(input.t, wait.until);
      const ms = Math.max(0, end - wait.since);
      if (wait.cause === 'limit') {
        waits.limits++;
        waits.limitMs += ms;
      } else {
        waits.outages++;
        waits.outageMs += ms;
      }
    },
    found: () => ({ ...waits }),
  };
}

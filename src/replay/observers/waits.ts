import type { Wait } from '../../core/governor/waits/waits-state.ts';
import type { Waits } from '../summary.ts';
import type { Observer } from './seen.ts';

/** What is known so far: waits that are over, and the one under way, with the time until which it is seen. */
interface Known {
  over: Waits;
  open: { readonly wait: Wait; readonly until: number } | undefined;
}

const NONE: Waits = { limits: 0, limitMs: 0, outages: 0, outageMs: 0 };

/** How long the API did not answer, for a usage limit or an outage: from the first refusal until the next answer. */
export function createWaits(known: Known = { over: NONE, open: undefined }): Observer<Waits, Known> {
  return {
    state: known,
    see({ input: { t, event }, after: { wait } }) {
      if (wait !== undefined && wait.phase !== 'over') {
        known.open = { wait, until: t };
        return;
      }
      if (known.open === undefined) return;
      // Where nothing has come, nobody knows that it was waited for longer.
      const isAnswer = wait === undefined && event.kind === 'assistant';
      known.over = withWait(known.over, known.open.wait, isAnswer ? t : Math.min(t, known.open.wait.until));
      known.open = undefined;
    },
    found: () => (known.open === undefined ? known.over : withWait(known.over, known.open.wait, known.open.until)),
  };
}

function withWait(waits: Waits, { cause, since }: Wait, until: number): Waits {
  const ms = Math.max(0, until - since);
  return cause === 'limit'
    ? { ...waits, limits: waits.limits + 1, limitMs: waits.limitMs + ms }
    : { ...waits, outages: waits.outages + 1, outageMs: waits.outageMs + ms };
}

import type { Wait } from '../../core/governor/waits/waits-state.ts';
import type { Waits } from '../summary.ts';
import type { Observer } from './seen.ts';

const NONE: Waits = { limits: 0, limitMs: 0, outages: 0, outageMs: 0 };

/** How long the API did not answer, for a usage limit or an outage: from the first refusal until the next answer. */
export function createWaits(): Observer<Waits> {
  let over = NONE;
  /** The one under way, with the time until which it is seen. */
  let open: { readonly wait: Wait; readonly until: number } | undefined;
  return {
    see({ input: { t, event }, after: { wait } }) {
      if (wait !== undefined && wait.phase !== 'over') {
        open = { wait, until: t };
        return;
      }
      if (open === undefined) return;
      // Where nothing has come, nobody knows that it was waited for longer.
      const isAnswer = wait === undefined && event.kind === 'assistant';
      over = withWait(over, open.wait, isAnswer ? t : Math.min(t, open.wait.until));
      open = undefined;
    },
    found: () => (open === undefined ? over : withWait(over, open.wait, open.until)),
  };
}

function withWait(waits: Waits, { cause, since }: Wait, until: number): Waits {
  const ms = Math.max(0, until - since);
  return cause === 'limit'
    ? { ...waits, limits: waits.limits + 1, limitMs: waits.limitMs + ms }
    : { ...waits, outages: waits.outages + 1, outageMs: waits.outageMs + ms };
}

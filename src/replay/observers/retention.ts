import type { Receipt, ReportedFact } from '../../core/governor/decisions.ts';
import type { HookAnswer } from '../../core/governor/effects.ts';
import type { Run } from '../../core/governor/state.ts';
import { createMemory } from '../../core/memory/memory.ts';
import type { Mask } from '../../core/text/words.ts';
import { createFactPlaces, type FactPlace } from './fact-places.ts';
import type { ObservedLine } from './observer.ts';

const LOST_ANSWER: HookAnswer = {
  kind: 'answer-hook',
  requestId: '',
  hook: 'SessionStart',
  output: {},
  recall: true,
};

export interface TimedReceipt {
  readonly t: number;
  readonly receipt: Receipt;
}

/** Maximum milliseconds between a call in claude's log and the run's receipt for it. */
const MAX_RECEIPT_DELAY_MS = 60_000;

interface Settled {
  readonly call: number;
  readonly line: number;
  /** Milliseconds between the call and a receipt stored outside the recording. */
  readonly distance?: number;
}

/**
 * @param recorded whether the run wrote receipts; otherwise notes are made here, to compute what they would hand back
 * @param receipts stored outside the recording: those of the run that produced this log of claude, oldest first
 */
export function createRetention(run: Run, mask: Mask, recorded: boolean, receipts: readonly TimedReceipt[] = []) {
  const memory = recorded ? undefined : createMemory({ run, mask });
  const places = createFactPlaces();
  const settled = new Map<Receipt, Settled>();
  let isFollowed = false;
  /** Whether the context was replaced and no request has been made since. */
  let isFresh = false;

  /** Assigns a receipt to one call only, the nearest. */
  function settle(receipt: Receipt, at: Settled): void {
    if ((settled.get(receipt)?.distance ?? Number.POSITIVE_INFINITY) < (at.distance ?? 0)) return;
    settled.delete(receipt);
    settled.set(receipt, at);
  }

  function follow({ input, after, line }: ObservedLine): void {
    if (memory === undefined) return;
    if (!isFollowed) memory.add({ t: 0, from: 'ctxb', event: { kind: 'notes', path: 'notes' } }, after);
    isFollowed = true;
    if (input.event.kind === 'boundary') memory.answer(LOST_ANSWER, after);
    for (const decision of memory.add(input, after).decisions) {
      if (decision.kind === 'receipt') settle(decision, { call: after.gauge.calls, line });
    }
  }

  /** Matches receipts to the first call of a fresh context, including one at the start of the log. */
  function settleWritten({ input, after, line }: ObservedLine): void {
    if (!after.facts.call) return;
    const isFirst = after.gauge.calls === 1;
    const [nearest] = receipts
      .filter(({ receipt }) => isFresh || (isFirst && receipt.relief === 'handoff'))
      .map(({ receipt, t }) => ({ receipt, distance: Math.abs(t - input.t) }))
      .toSorted((a, b) => a.distance - b.distance);
    isFresh = false;
    if (nearest !== undefined && nearest.distance <= MAX_RECEIPT_DELAY_MS)
      settle(nearest.receipt, { call: after.gauge.calls, line, distance: nearest.distance });
  }

  function reliefOf(receipt: Receipt, { call, line }: Settled, end = Number.POSITIVE_INFINITY) {
    const { relief, all, kept, given } = receipt;
    const placed = <F extends ReportedFact>(fact: F) => ({ ...fact, ...places.of(fact, line, end) });
    const gone = receipt.gone.map(placed);
    const stayed: readonly (Receipt['stayed'][number] & Partial<FactPlace>)[] = receipt.stayed.map((fact) =>
      recorded || fact.by === 'claude' ? fact : placed(fact),
    );
    return {
      relief,
      /**
       * Whether ctxb handed back the facts counted in `given`. In a recording without ctxb it is false, and `given`
       * counts what ctxb would have handed back.
       */
      actual: recorded,
      /** Number of the call that made this request. */
      call,
      line,
      all,
      kept,
      given,
      gone,
      stayed,
    };
  }

  return {
    see(seen: ObservedLine): void {
      const { replaced } = seen.after.facts;
      if (replaced && replaced !== 'session') isFresh = true;
      follow(seen);
      settleWritten(seen);
      places.see(seen);
    },
    receipt: settle,
    found() {
      const all = [...settled];
      return all.map(([receipt, at], index) => reliefOf(receipt, at, all[index + 1]?.[1].line));
    },
  };
}

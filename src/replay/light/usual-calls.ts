import { microUsdOf, type Price } from '../../core/governor/cost/prices.ts';
import { changedGauge, withPeak } from '../../core/governor/gauge/gauge.ts';
import { SMALL_WINDOW } from '../../core/governor/gauge/window.ts';
import type { Draft } from '../../core/governor/steps.ts';
import type { AssistantEvent } from '../../core/protocol/events.ts';
import { contextOf } from '../../core/protocol/usage.ts';
import type { CountedAnswer } from '../figures.ts';
import type { Answer } from '../observers/ledger.ts';
import type { ReadLine } from '../read/line-feed.ts';
import { type RowParts, usageIn } from '../read/row-parts.ts';

/** A call that the state does not include yet. */
interface Held {
  readonly row: RowParts;
  readonly answer: Answer;
  readonly t: number;
  /** Whether the model has received new input since the call. */
  isAnswered: boolean;
}

/**
 * Adds up calls without a state for each. They are complete answers of the main thread, all of one form. The first call
 * of a series was read into the state. The last call is held back and then read into the state too, so that the rows
 * after it find a state that knows its call.
 *
 * @param state is mutated
 * @param onCall called for each call that is added up
 */
export function createUsualCalls(state: Draft, onCall: (call: CountedAnswer, isPeak: boolean) => void) {
  let first: RowParts | undefined;
  let price: Price | undefined;
  let held: Held | undefined;
  let [count, cost, peak] = [0, 0, 0];

  function add({ answer, t }: Held): void {
    const used = contextOf(answer.usage);
    const microUsd = microUsdOf(answer.usage, price as Price);
    count++;
    cost += microUsd;
    onCall({ answer, t, number: state.gauge.calls + count, microUsd }, used > Math.max(peak, state.gauge.peak));
    peak = Math.max(peak, used);
  }

  return {
    /** Begins a series if the row is the first one of a call. @param row a row that was read into the state */
    begin(row: ReadLine | undefined): void {
      const { call } = state.facts;
      const priced = state.limits.cost.calls.find(({ usage }) => usage === call?.usage);
      price = priced?.price;
      first = row?.kind === 'parts' && isComplete(row) && row.own[3] === priced?.messageId ? row : undefined;
    },
    has: (row: ReadLine): row is RowParts => row.kind === 'parts' && row.shared === first?.shared,
    /** Returns false if the row does not belong to the series. */
    take(row: RowParts, answer: Answer, t: number): boolean {
      const last = held?.row ?? first;
      if (!isComplete(row)) return false;
      if (answer.messageId === last?.own[3]) return hasSameCounts(row, last);
      // Other figures change with a larger window, and if a gateway gives several calls the same id.
      const isLarge = contextOf(answer.usage) > (state.gauge.window.tokens ?? SMALL_WINDOW);
      if (isLarge || answer.messageId === first?.own[3]) return false;
      if (held !== undefined) add(held);
      held = { row, answer, t, isAnswered: false };
      return true;
    },
    /** Records new input for the model. */
    answered(): void {
      if (held !== undefined) held.isAnswered = true;
    },
    /** Ends the series. Returns its last call. */
    end(): Held | undefined {
      const last = held;
      const { gauge, limits } = state;
      if (count > 0) {
        state.gauge = changedGauge(gauge, { calls: gauge.calls + count, ...withPeak(gauge, peak) });
        state.limits = { ...limits, cost: { ...limits.cost, settled: limits.cost.settled + cost } };
      }
      first = held = undefined;
      count = cost = peak = 0;
      return last;
    },
  };
}

/** An answer as far as a ledger needs it. */
export function answerIn({ shared, own }: RowParts, session: string | undefined): Answer {
  const { model, sessionId = session } = shared as AssistantEvent;
  return { messageId: own[3] ?? '', subagent: null, model, sessionId, usage: usageIn(own, shared as AssistantEvent) };
}

/** Whether a row has the id, the context and the final output of an answer, and nothing else that matters. */
function isComplete({ own }: RowParts): boolean {
  const [, , { length }, messageId, isFinal, input = 0, cacheCreation = 0, cacheRead = 0] = own;
  return messageId !== '' && isFinal === true && length === 0 && input + cacheCreation + cacheRead > 0;
}

const COUNTS_AT = 5;

function hasSameCounts(a: RowParts, b: RowParts): boolean {
  return a.own.every((part, at) => at < COUNTS_AT || part === b.own[at]);
}

import { isAnswer } from '../../core/governor/facts.ts';
import type { Gauge } from '../../core/governor/gauge/gauge.ts';
import { saysNothing } from '../../core/protocol/usage.ts';
import type { Observer, Seen } from './seen.ts';

/**
 * - `drop`: the context shrank without a boundary
 * - `boundary-without-drop`: a compaction left the context as large as before
 * - `larger-window`: a context exceeded the assumed window
 * - `no-usage`: all usage figures of a call are zero, because of an API error or a back-end that does not count
 * - `other-model`: the model differs from that of the previous call
 */
export type OddityKind = 'drop' | 'boundary-without-drop' | 'larger-window' | 'no-usage' | 'other-model';

export interface Oddity {
  readonly kind: OddityKind;
  readonly count: number;
  /** The first `MOST_EXAMPLES` occurrences. */
  readonly examples: readonly OddityExample[];
}

export interface OddityExample {
  /** Number of the main-thread call, from 1, that revealed the oddity. */
  readonly call: number;
  /** Line of the recording, from 1. */
  readonly line: number;
  /** Expected and found value: tokens of context or window; models for `other-model`. */
  readonly expected: number | string | null;
  readonly found: number | string | null;
}

/** Maximum number of examples kept per kind. */
const MAX_EXAMPLES = 5;

/** A context above this share of the context before a boundary counts as unchanged. */
const SAME_SIZE = 0.9;

export function createOddities(): Observer<readonly Oddity[]> {
  const oddities = new Map<OddityKind, Oddity>();
  let lastModel: string | undefined;
  /** Id of the last message without usage. */
  let silent: string | undefined;
  /** Context before the last boundary, until the next call. */
  let beforeBoundary: number | undefined;

  function note(kind: OddityKind, example: OddityExample): void {
    const { count = 0, examples = [] } = oddities.get(kind) ?? {};
    const kept = examples.length < MAX_EXAMPLES ? [...examples, example] : examples;
    oddities.set(kind, { kind, count: count + 1, examples: kept });
  }

  function seeLine({ line, input, before, after }: Seen): void {
    const { event } = input;
    if (event.kind === 'boundary') beforeBoundary = event.preTokens ?? before.gauge.used;
    if (!isAnswer(event) || event.usage === undefined || !saysNothing(event.usage) || event.messageId === silent)
      return;
    silent = event.messageId;
    note('no-usage', { call: after.gauge.calls + 1, line, expected: null, found: 0 });
  }

  function seeCall({ before, after, line }: Seen): void {
    const { used, window, foreseen, calls } = after.gauge;
    const at = { call: calls, line };
    if (droppedTokens(before.gauge, after.gauge) > 0) {
      note('drop', { ...at, expected: foreseen ?? null, found: used });
    }
    const believed = before.gauge.window.tokens;
    const isSameModel = before.gauge.windowModel === after.gauge.windowModel;
    if (isSameModel && window.source === 'raised' && believed !== undefined && believed !== window.tokens) {
      note('larger-window', { ...at, expected: believed, found: used });
    }
    if (beforeBoundary !== undefined && used > beforeBoundary * SAME_SIZE) {
      note('boundary-without-drop', { ...at, expected: beforeBoundary, found: used });
    }
    beforeBoundary = undefined;
  }

  function seeModel({ line, input: { event }, after }: Seen): void {
    if (!isAnswer(event) || event.model === undefined || event.usage === undefined || saysNothing(event.usage)) return;
    if (lastModel !== undefined && lastModel !== event.model) {
      note('other-model', { call: after.gauge.calls, line, expected: lastModel, found: event.model });
    }
    lastModel = event.model;
  }

  return {
    see(seen) {
      seeModel(seen);
      if (seen.after.facts.call) seeCall(seen);
      else seeLine(seen);
    },
    found: () => [...oddities.values()],
  };
}

/** Minimum drop, as a share of the predicted context; a smaller difference is an error of the estimate. */
const MIN_SHARE = 0.02;

/**
 * Tokens that left the context before a call without a boundary, or 0. The call must be smaller than both predicted and
 * the previous call: one that is only smaller than predicted may have been overestimated.
 */
function droppedTokens(before: Gauge, after: Gauge): number {
  const { foreseen, used } = after;
  if (foreseen === undefined || used >= before.used) return 0;
  return foreseen - used > foreseen * MIN_SHARE ? foreseen - used : 0;
}

import type { Gauge } from '../../core/governor/gauge/gauge.ts';
import type { ObservedLine, Observer } from './observer.ts';

/**
 * - `drop`: the context shrank without a boundary
 * - `boundary-without-drop`: a compaction left the context as large as before
 * - `larger-window`: a context exceeded the assumed window
 */
export type OddityKind = 'drop' | 'boundary-without-drop' | 'larger-window';

export interface Oddity {
  readonly kind: OddityKind;
  readonly count: number;
  readonly examples: readonly OddityExample[];
}

export interface OddityExample {
  /** Number of the main-thread call, from 1. */
  readonly call: number;
  readonly line: number;
  /** Expected and found tokens of context or window. */
  readonly expected: number;
  readonly found: number;
}

const MAX_EXAMPLES = 5;

/** A context above this share of the context before a boundary counts as unchanged. */
const SAME_SIZE = 0.9;

export function createOddities(): Observer<readonly Oddity[]> {
  const oddities = new Map<OddityKind, Oddity>();
  /** Context before the last boundary, until the next call. */
  let beforeBoundary: number | undefined;

  function seeCall({ before, after, line }: ObservedLine): void {
    const { used: found, window, lastPrediction, calls: call } = after.gauge;
    const note = (kind: OddityKind, expected: number) => {
      const { count = 0, examples = [] } = oddities.get(kind) ?? {};
      const kept = [...examples, { call, line, expected, found }].slice(0, MAX_EXAMPLES);
      oddities.set(kind, { kind, count: count + 1, examples: kept });
    };
    if (lastPrediction !== undefined && isDrop(lastPrediction, before.gauge, found)) note('drop', lastPrediction);
    const assumed = before.gauge.window.tokens;
    const isSameModel = before.gauge.windowModel === after.gauge.windowModel;
    if (isSameModel && window.source === 'raised' && assumed !== undefined && assumed !== window.tokens) {
      note('larger-window', assumed);
    }
    if (beforeBoundary !== undefined && found > beforeBoundary * SAME_SIZE) {
      note('boundary-without-drop', beforeBoundary);
    }
    beforeBoundary = undefined;
  }

  return {
    see(seen) {
      const { input, before, after } = seen;
      if (after.facts.call) seeCall(seen);
      else if (input.event.kind === 'boundary') beforeBoundary = input.event.preTokens ?? before.gauge.used;
    },
    found: () => [...oddities.values()],
  };
}

/** Minimum drop, as a share of the predicted context; a smaller difference is an error of the estimate. */
const MIN_SHARE = 0.02;

/** The call must be smaller than both predicted and the previous call: the prediction may have been too high. */
function isDrop(predicted: number, before: Gauge, used: number): boolean {
  return used < before.used && predicted - used > predicted * MIN_SHARE;
}

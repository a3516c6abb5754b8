import { isAnswer } from '../../core/governor/facts.ts';
import type { Gauge } from '../../core/governor/gauge/gauge.ts';
import { saysNothing } from '../../core/protocol/usage.ts';
import type { Observer, Seen } from './seen.ts';

/**
 * - `drop`: the context became smaller and no boundary said so
 * - `boundary-without-drop`: a compaction after which the context was as large as before it
 * - `larger-window`: a context was larger than the window was taken for
 * - `no-usage`: a call whose usage is all zero: an API error, a back-end that counts nothing
 * - `other-model`: a call of another model than the one before it
 */
export type OddityKind = 'drop' | 'boundary-without-drop' | 'larger-window' | 'no-usage' | 'other-model';

export interface Oddity {
  readonly kind: OddityKind;
  readonly count: number;
  /** The first `MOST_EXAMPLES` of them. */
  readonly examples: readonly OddityExample[];
}

export interface OddityExample {
  /** Number of the main-thread call, from 1, at which it showed. */
  readonly call: number;
  /** Line of the recording, from 1. */
  readonly line: number;
  /** Expected and found: tokens of context or window; models for `other-model`. */
  readonly expected: number | string | null;
  readonly found: number | string | null;
}

/** Examples that are kept of each oddity. */
const MOST_EXAMPLES = 5;

/** A context above this share of the one before a boundary counts as unchanged. */
const SAME_SIZE = 0.9;

export function createOddities(): Observer<readonly Oddity[]> {
  const oddities = new Map<OddityKind, Oddity>();
  let lastModel: string | undefined;
  /** Id of the last message that came without usage. */
  let silent: string | undefined;
  /** Context before a boundary that no call has followed yet. */
  let beforeBoundary: number | undefined;

  function note(kind: OddityKind, example: OddityExample): void {
    const { count = 0, examples = [] } = oddities.get(kind) ?? {};
    const kept = examples.length < MOST_EXAMPLES ? [...examples, example] : examples;
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

/** A context that lost less of what was foreseen lost nothing: the estimate was off. */
const LEAST_SHARE = 0.02;

/**
 * Tokens that left the context before a call without a boundary; 0 if none did. A call that is smaller than predicted,
 * and no smaller than the one before it, may just have been estimated too high.
 */
function droppedTokens(before: Gauge, after: Gauge): number {
  const { foreseen, used } = after;
  if (foreseen === undefined || used >= before.used) return 0;
  return foreseen - used > foreseen * LEAST_SHARE ? foreseen - used : 0;
}

import { saysNothing } from '../../core/protocol/usage.ts';
import { type DropCause, MOST_EXAMPLES, type Oddity, type OddityExample, type OddityKind } from '../oddity.ts';
import { createDropSigns, droppedTokens } from './drops.ts';
import type { Observer, Seen } from './seen.ts';

/** A context that is not smaller than this share of the one before a boundary has not become smaller. */
const SAME_SIZE = 0.9;

/** What is out of the ordinary in a recording. */
export function createOddities(): Observer<readonly Oddity[]> {
  const oddities = new Map<string, Oddity>();
  const signs = createDropSigns();
  let lastModel: string | undefined;
  /** Id of the last message that came without usage. */
  let silent: string | undefined;
  /** Context before a boundary that no call has followed yet. */
  let beforeBoundary: number | undefined;

  function note(kind: OddityKind, example: OddityExample, cause: DropCause | null = null): void {
    const key = `${kind} ${cause ?? ''}`;
    const { count = 0, examples = [] } = oddities.get(key) ?? {};
    const kept = examples.length < MOST_EXAMPLES ? [...examples, example] : examples;
    oddities.set(key, { kind, cause, count: count + 1, examples: kept });
  }

  function seeLine(seen: Seen): void {
    const { line, input, before, after } = seen;
    const { event } = input;
    signs.see(seen);
    if (event.kind === 'boundary') beforeBoundary = event.preTokens ?? before.gauge.used;
    if (event.kind !== 'assistant' || event.subagent !== null || event.synthetic) return;
    if (event.usage === undefined || !saysNothing(event.usage) || event.messageId === silent) return;
    silent = event.messageId;
    note('no-usage', { call: after.gauge.calls + 1, line, expected: null, found: 0 });
  }

  function seeCall(seen: Seen): void {
    const { before, after, line } = seen;
    const { used, window, foreseen, calls } = after.gauge;
    const at = { call: calls, line };
    const cause = signs.atCall(seen);
    if (droppedTokens(before.gauge, after.gauge) > 0) {
      note('drop', { ...at, expected: foreseen ?? null, found: used }, cause);
    }
    const believed = before.gauge.window.tokens;
    if (window.source === 'raised' && believed !== undefined && believed !== window.tokens) {
      note('larger-window', { ...at, expected: believed, found: used });
    }
    if (beforeBoundary !== undefined && used > beforeBoundary * SAME_SIZE) {
      note('boundary-without-drop', { ...at, expected: beforeBoundary, found: used });
    }
    beforeBoundary = undefined;
  }

  function seeModel({ line, input: { event }, after }: Seen): void {
    if (event.kind !== 'assistant' || event.subagent !== null || event.synthetic || event.model === undefined) return;
    if (event.usage === undefined || saysNothing(event.usage)) return;
    if (lastModel !== undefined && lastModel !== event.model) {
      note('other-model', { call: after.gauge.calls, line, expected: lastModel, found: event.model });
    }
    lastModel = event.model;
  }

  return {
    see(seen) {
      seeModel(seen);
      if (seen.after.gauge.calls > seen.before.gauge.calls) seeCall(seen);
      else seeLine(seen);
    },
    found: () => [...oddities.values()],
  };
}

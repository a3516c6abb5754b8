import { billedOutput } from '../../core/governor/cost/priced-call.ts';
import { callOutput } from '../../core/governor/gauge/gauge.ts';
import { NO_USAGE } from '../../core/protocol/usage.ts';
import type { Growth, LedgerCall } from '../recorded-items.ts';
import { inUsd } from '../totals.ts';
import { type ObservedLine, timeIn } from './observer.ts';

export function createCalls() {
  const calls: CallBegun[] = [];
  /** Tokens added, by source. A map, because a tool can be named `constructor`, which every object inherits. */
  const added = new Map<string, number>();

  function take(): Growth {
    const growth = Object.fromEntries(added);
    added.clear();
    return growth;
  }

  return {
    added(source: string, tokens: number): void {
      added.set(source, (added.get(source) ?? 0) + tokens);
    },
    see(seen: ObservedLine): void {
      const { gauge, facts } = seen.after;
      if (facts.call) calls.push(callOf(seen, take()));
      const current = calls.at(-1);
      if (current === undefined || gauge.call === seen.before.gauge.call) return;
      if (gauge.call?.messageId !== current.messageId) return;
      const { model = null, usage, output, outputKnown } = gauge.call;
      const outputs = { output: callOutput(gauge), outputKnown, billedOutput: billedOutput(output, gauge.call) };
      calls[calls.length - 1] = { ...current, model, context: gauge.used, ...usage, ...outputs };
    },
    /** The calls so far. */
    seen: (): readonly CallBegun[] => calls,
    /** @param ledger sets the cost of each call */
    found(ledger: readonly LedgerCall[]) {
      const costs = new Map(ledger.map(({ number, microUsd }) => [number, microUsd]));
      return calls.map((call) => ({ ...call, usd: inUsd(costs.get(call.number) ?? null) }));
    },
  };
}

/** A call as it is seen, still without its cost. */
export type CallBegun = Readonly<ReturnType<typeof callOf>>;

/** A new call without usage, which `see` fills in later. The output is estimated if the recording lacks it. */
function callOf({ line, input, after }: ObservedLine, added: Growth) {
  const { gauge, turn } = after;
  return {
    /** From 1, as `line` and `turn`. */
    number: gauge.calls,
    /** Line of the recording where the call begins. */
    line,
    /** Milliseconds since the epoch; null if the recording has no times. */
    t: timeIn(input),
    turn: turn.ended + 1,
    messageId: gauge.call?.messageId ?? '',
    model: gauge.call?.model ?? null,
    /** Context window in tokens; null if unknown. */
    window: gauge.window.tokens ?? null,
    /** Total input tokens: `input`, `cacheCreation` and `cacheRead`. */
    context: gauge.used,
    ...NO_USAGE,
    outputKnown: false,
    /** Output tokens in `usd`: the true count, or a quarter of the characters, which is rarely an overestimate. */
    billedOutput: 0,
    /** Context predicted before the call; null for the first call and after a compaction. */
    predicted: gauge.lastPrediction ?? null,
    /** Cost at list prices in US dollars; null for a model without a price. */
    usd: inUsd(null),
    /** Tokens added since the previous call. */
    added,
  };
}

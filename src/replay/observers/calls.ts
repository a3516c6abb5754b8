import { toUsd } from '../../core/governor/cost/cost.ts';
import { billedOutput } from '../../core/governor/cost/priced-call.ts';
import { callOutput } from '../../core/governor/gauge/gauge.ts';
import { NO_USAGE } from '../../core/protocol/usage.ts';
import type { CallSeen, Growth, LedgerCall } from '../items-seen.ts';
import { type Seen, timeIn } from './seen.ts';

export function createCalls() {
  const calls: CallSeen[] = [];
  /** By source. A map, because a tool can be named `constructor`, which every object inherits. */
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
    see(seen: Seen): void {
      const { gauge, facts } = seen.after;
      if (facts.call) calls.push(callOf(seen, take()));
      const current = calls.at(-1);
      if (current === undefined || gauge.call === seen.before.gauge.call) return;
      if (gauge.call?.messageId !== current.messageId) return;
      const { model = null, usage, output, outputKnown } = gauge.call;
      const outputs = { output: callOutput(gauge), outputKnown, billedOutput: billedOutput(output, gauge.call) };
      calls[calls.length - 1] = { ...current, model, context: gauge.used, ...usage, ...outputs };
    },
    /** The calls so far, without their costs. */
    seen: (): readonly CallSeen[] => calls,
    /** @param ledger sets the cost of each call */
    found(ledger: readonly LedgerCall[]): readonly CallSeen[] {
      const costs = new Map(ledger.map(({ number, microUsd }) => [number, microUsd]));
      return calls.map((call) => {
        const microUsd = costs.get(call.number) ?? null;
        return { ...call, usd: microUsd === null ? null : toUsd(microUsd) };
      });
    },
  };
}

/** A new call without usage, which `see` fills in later. */
function callOf({ line, input, after }: Seen, added: Growth): CallSeen {
  const { gauge, turn } = after;
  return {
    number: gauge.calls,
    line,
    t: timeIn(input),
    turn: turn.ended + 1,
    messageId: gauge.call?.messageId ?? '',
    model: gauge.call?.model ?? null,
    window: gauge.window.tokens ?? null,
    context: gauge.used,
    ...NO_USAGE,
    outputKnown: false,
    billedOutput: 0,
    predicted: gauge.foreseen ?? null,
    usd: null,
    added,
  };
}

import { callOutput } from '../../core/governor/gauge/gauge.ts';
import type { AssistantEvent, Usage } from '../../core/protocol/events.ts';
import { addUsage, saysNothing, withOutput } from '../../core/protocol/usage.ts';
import type { SessionSummary } from '../summary.ts';
import type { Observer, Seen } from './seen.ts';

const NOTHING: Usage = { input: 0, cacheCreation: 0, cacheRead: 0, output: 0 };

/** Newest call of a subagent: its lines repeat the usage, and its output count grows. */
interface Newest {
  readonly messageId: string;
  readonly usage: Usage;
}

interface TrafficState {
  main: Usage;
  subagents: Usage;
  /** Of the main thread's call under way. */
  open: Usage;
  /** By subagent. */
  readonly newest: Map<string, Newest>;
}

/** Sums over the calls, each counted once. */
export function createTraffic(
  sums: TrafficState = { main: NOTHING, subagents: NOTHING, open: NOTHING, newest: new Map() },
): Observer<SessionSummary['traffic'], TrafficState> {
  const { newest } = sums;

  function seeMain({ input, before, after }: Seen): void {
    if (after.gauge.calls > before.gauge.calls && input.event.kind === 'assistant') {
      sums.main = addUsage(sums.main, sums.open);
      sums.open = input.event.usage ?? NOTHING;
    }
    if (after.gauge.call !== null && after.gauge.call !== before.gauge.call) {
      sums.open = withOutput(sums.open, callOutput(after.gauge));
    }
  }

  function seeSubagent({ subagent, usage, synthetic, messageId }: AssistantEvent): void {
    if (subagent === null || usage === undefined || synthetic || saysNothing(usage)) return;
    const last = newest.get(subagent);
    const isSame = last !== undefined && messageId !== '' && last.messageId === messageId;
    if (last !== undefined && !isSame) sums.subagents = addUsage(sums.subagents, last.usage);
    const output = Math.max(usage.output, isSame ? last.usage.output : 0);
    newest.set(subagent, { messageId, usage: withOutput(usage, output) });
  }

  return {
    state: sums,
    see(seen) {
      seeMain(seen);
      if (seen.input.event.kind === 'assistant') seeSubagent(seen.input.event);
    },
    found: () => ({
      main: addUsage(sums.main, sums.open),
      subagents: [...newest.values()].reduce((sum, { usage }) => addUsage(sum, usage), sums.subagents),
    }),
  };
}

import { callOutput } from '../../governor/gauge/gauge.ts';
import type { AssistantEvent, Usage } from '../../stream/events.ts';
import { saysNothing } from '../../stream/usage.ts';
import type { SessionSummary } from '../summary.ts';
import type { Observer, Seen } from './seen.ts';

const NOTHING: Usage = { input: 0, cacheCreation: 0, cacheRead: 0, output: 0 };

/** Sums over the calls, each counted once. */
export function createTraffic(): Observer<SessionSummary['traffic']> {
  let main = NOTHING;
  let subagents = NOTHING;
  let open = NOTHING;
  /** Newest call of each subagent: its lines repeat the usage, and its output count grows. */
  const newest = new Map<string, { readonly messageId: string; readonly usage: Usage }>();

  function seeMain({ input, before, after }: Seen): void {
    if (after.gauge.calls > before.gauge.calls && input.event.kind === 'assistant') {
      main = added(main, open);
      open = input.event.usage ?? NOTHING;
    }
    if (after.gauge.call !== null && after.gauge.call !== before.gauge.call) {
      open = { ...open, output: callOutput(after.gauge) };
    }
  }

  function seeSubagent({ subagent, usage, synthetic, messageId }: AssistantEvent): void {
    if (subagent === null || usage === undefined || synthetic || saysNothing(usage)) return;
    const last = newest.get(subagent);
    const isSame = last !== undefined && messageId !== '' && last.messageId === messageId;
    if (last !== undefined && !isSame) subagents = added(subagents, last.usage);
    const output = Math.max(usage.output, isSame ? last.usage.output : 0);
    newest.set(subagent, { messageId, usage: { ...usage, output } });
  }

  return {
    see(seen) {
      seeMain(seen);
      if (seen.input.event.kind === 'assistant') seeSubagent(seen.input.event);
    },
    found: () => ({
      main: added(main, open),
      subagents: [...newest.values()].reduce((sum, { usage }) => added(sum, usage), subagents),
    }),
  };
}

function added(a: Usage, b: Usage): Usage {
  const hour = (a.cacheCreationHour ?? 0) + (b.cacheCreationHour ?? 0);
  return {
    input: a.input + b.input,
    cacheCreation: a.cacheCreation + b.cacheCreation,
    ...(hour > 0 && { cacheCreationHour: hour }),
    cacheRead: a.cacheRead + b.cacheRead,
    output: a.output + b.output,
  };
}

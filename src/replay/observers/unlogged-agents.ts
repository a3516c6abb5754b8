import { answeredIn } from '../../core/protocol/blocks.ts';
import { countOf, fieldsOf, textOf } from '../../core/protocol/fields.ts';
import { SIDECHAIN } from '../../core/protocol/line-fields.ts';
import type { UnloggedAgent } from '../recorded-items.ts';
import type { ObservedLine, Observer } from './observer.ts';

/** Finds subagents that a session log reports, and whose own logs are missing. */
export function createUnlogged(): Observer<readonly UnloggedAgent[]> {
  const logged = new Set<string>();
  const reported = new Map<string, number>();
  return {
    see({ input: { event }, after }) {
      if (event.kind === 'assistant' && event.subagent !== null) logged.add(event.subagent);
      const agent = reportedAgent(event);
      if (agent !== undefined) reported.set(agent, after.gauge.calls);
    },
    found: () => {
      if (logged.has(SIDECHAIN)) return [];
      return [...reported].flatMap(([agent, call]) => (logged.has(agent) ? [] : [{ agent, call }]));
    },
  };
}

/** The subagent that a tool's result reports: its id, or the id of the tool call in versions without one. */
export function reportedAgent(event: ObservedLine['input']['event']): string | undefined {
  if (event.kind !== 'user' || event.role !== 'tool-result') return undefined;
  const { agentId, totalTokens } = fieldsOf(event.toolReport);
  return textOf(agentId) ?? (countOf(totalTokens) ? answeredIn(event.blocks)[0] : undefined);
}

import type { Usage } from '../../protocol/events.ts';
import { contextOf } from '../../protocol/usage.ts';
import { microUsdOf, priceFor } from '../cost/prices.ts';
import type { GovernorState } from '../state.ts';
import type { Agent } from './agents-state.ts';

export type Call = NonNullable<Agent['last']>;

/** A further call, or more of the last one. */
export function countCall(agent: Agent, call: Call): Partial<Agent> {
  const isKnown = call.messageId !== '' && call.messageId !== ESTIMATED;
  const isMore = isKnown && agent.last?.messageId === call.messageId;
  const before = isMore ? agent.last : undefined;
  return {
    last: call,
    used: call.context,
    peak: Math.max(agent.peak, call.context),
    calls: agent.calls + (isMore ? 0 : 1),
    tokens: agent.tokens + call.context + call.output - (before === undefined ? 0 : before.context + before.output),
    microUsd: agent.microUsd + call.microUsd - (before?.microUsd ?? 0),
  };
}

/** In the place of a message's id: the figures of this call are claude's count of tokens, which does not say of what kind. */
export const ESTIMATED = 'estimated';

export function withoutEstimate(agent: Agent): Agent {
  const { last } = agent;
  if (agent.isUnseen || last?.messageId !== ESTIMATED) return agent;
  const { context, output, microUsd } = last;
  return {
    ...agent,
    last: undefined,
    peak: agent.calls === 1 ? 0 : agent.peak,
    calls: agent.calls - 1,
    tokens: agent.tokens - context - output,
    microUsd: agent.microUsd - microUsd,
  };
}

/** The call whose usage the hand-back has. */
export function exactCall(state: GovernorState, agent: Agent, usage: Usage, named: string | undefined): Call {
  const model = named ?? agent.last?.model;
  const { output } = usage;
  const microUsd = costOf(state, usage, model);
  return { messageId: '', model, context: contextOf(usage), output, microUsd, usesTool: false };
}

/** A call of which only the size of the context is known: what it had before comes from the cache, the rest is new. */
export function estimatedCall(state: GovernorState, used: number, tokens: number, model: string | undefined): Call {
  const cacheRead = Math.min(used, tokens);
  const usage = { input: 0, cacheCreation: tokens - cacheRead, cacheRead, output: 0 };
  const microUsd = costOf(state, usage, model);
  return { messageId: ESTIMATED, model, context: tokens, output: 0, microUsd, usesTool: true };
}

/** An agent runs with the model of the main thread where nothing else is said. */
function costOf({ session, run }: GovernorState, usage: Usage, model = session.model): number {
  const price = priceFor(model, run.policy.cost.prices, session.version);
  return price === undefined ? 0 : microUsdOf(usage, price);
}

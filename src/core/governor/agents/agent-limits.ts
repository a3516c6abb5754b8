import { pluralize } from '../../text/words.ts';
import { toMicroUsd } from '../cost/cost.ts';
import type { HookAnswer } from '../effects.ts';
import type { AgentsPolicy } from '../policy.ts';
import { askCostCounter, stopTask } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { type AgentText, changedIn, decide, type Line, withoutText } from '../steps.ts';
import { agentOf, agentOfTask, agentsOf, hasMovedUnseen, isEstimated, withAgent } from './agents.ts';
import type { Agent, Agents } from './agents-state.ts';

/** Tools that start agents, as a hook matcher; `Task` is the older name. */
export const AGENT_TOOLS = 'Agent|Task|Workflow';

export function hasAgentLimits({ max, tokens, costUsd }: AgentsPolicy): boolean {
  return max !== undefined || tokens !== undefined || costUsd !== undefined;
}

/** Decides whether an agent may start another agent or a workflow. The text says why not. */
export function askAgent(state: GovernorState, toolUseId: string): AgentText {
  const { max } = state.run.policy.agents;
  if (max === undefined || agentsBegun(state) < max) {
    return withoutText(changedIn(state, 'agents', { pendingStarts: [...state.work.agents.pendingStarts, toolUseId] }));
  }
  const text = `This work may use ${pluralize(max, 'subagent')} in all, and has used them: do this step yourself, without a subagent or a workflow.`;
  return { state, text };
}

export function agentsBegun({ work: { agents } }: GovernorState): number {
  return agents.startedBefore + new Set([...Object.keys(agents.all), ...agents.pendingStarts]).size;
}

/**
 * Asks for claude's cost counter after calls that the stream lacks, because the counter includes their cost earlier
 * than the next result does.
 */
export function askCostOfUnseenCalls(state: GovernorState, { before }: Line): GovernorState {
  return agentsOf(state).some((agent) => hasMovedUnseen(agent, before)) ? askCostCounter(state) : state;
}

export function enforceAgentLimits(state: GovernorState, { before }: Pick<Line, 'before'>): GovernorState {
  const { agents: limits } = state.run.policy;
  if (!hasAgentLimits(limits)) return state;
  return agentsOf(state).reduce((next, agent, index) => {
    const previous = agentOf(before, agent.id);
    if (previous === agent || agent.phase !== 'running') return next;
    const isTooMany =
      previous === undefined && before.work.agents.startedBefore + index >= (limits.max ?? Number.POSITIVE_INFINITY);
    const reason = isTooMany ? agentCountReason(state) : exceededLimit(state, agent);
    const isNew = isTooMany || previous?.phase !== 'running' || exceededLimit(state, previous) === undefined;
    return reason === undefined || !isNew ? next : stopAgent(next, agent, reason, isTooMany);
  }, state);
}

export function agentCountReason({ run }: GovernorState): string {
  return `the limit of this run is ${pluralize(run.policy.agents.max ?? 0, 'subagent')}`;
}

function exceededLimit({ run }: GovernorState, agent: Agent): string | undefined {
  const { tokens: limit, costUsd } = run.policy.agents;
  const { tokens, microUsd } = agent;
  const about = isEstimated(agent) ? 'about ' : '';
  if (limit !== undefined && tokens >= limit) return `it has used ${about}${tokens} tokens of ${limit}`;
  if (costUsd === undefined || microUsd < toMicroUsd(costUsd)) return undefined;
  return `it has cost about $${(microUsd / 1_000_000).toFixed(2)} of $${costUsd.toFixed(2)}`;
}

/**
 * Stops an agent at once with `stop_task`, also a nested or background agent. For an agent of a workflow, claude only
 * reports success (2.1.330): it ends after its next tool. ctxb stops a workflow with too many agents as a whole.
 */
function stopAgent(state: GovernorState, agent: Agent, reason: string, isTooMany: boolean): GovernorState {
  const { id, taskId, workflow } = agent;
  const { unreadNotices, stoppedWorkflows } = state.work.agents;
  // claude may still announce agents of a stopped workflow.
  if (workflow !== undefined && stoppedWorkflows.includes(workflow)) return state;
  const isWhole = workflow !== undefined && isTooMany;
  const name = isWhole ? 'a workflow' : agentText(agent);
  const isUnknown = state.run.mode === 'act' && taskId === undefined;
  const noted = decide(state, 'limit:agents', reason, { todo: isUnknown ? 'failed' : 'stop', agent: name });
  if (state.run.mode !== 'act' || taskId === undefined) return noted;
  const text = `${name} was stopped by a limit of this run, not by the user: ${reason}. Continue with the results so far, and do not start the same again.`;
  const isBackground =
    workflow !== undefined || state.work.tasks.some((task) => task.id === taskId && task.phase === 'background');
  const next = changedIn(withAgent(noted, id, { phase: 'stopped' }), 'agents', {
    unreadNotices: [...unreadNotices, { toolUseId: id, isForMainThread: isBackground, text }],
    stoppedWorkflows: isWhole ? [...stoppedWorkflows, workflow] : stoppedWorkflows,
  });
  const target = isWhole ? workflow : workflow === undefined ? taskId : undefined;
  return target === undefined ? next : stopTask(next, target);
}

function agentText({ kind, name, workflow }: Agent): string {
  const named = name === undefined ? '' : ` "${name}"`;
  if (workflow !== undefined) return `a workflow's subagent${named}`;
  return `the subagent${named}${kind === undefined ? '' : ` (${kind})`}`;
}

/**
 * The output of the hook after a tool that ends a stopped agent of a workflow, which `stop_task` cannot end; undefined
 * for other agents.
 */
export function endStopped(state: GovernorState, agentId: string | null): HookAnswer['output'] | undefined {
  const agent = agentId === null ? undefined : agentOfTask(state, agentId);
  if (agent?.phase !== 'stopped' || agent.workflow === undefined) return undefined;
  return { continue: false, stopReason: 'a limit of this run for subagents is reached' };
}

/** Takes the notices about stopped agents for the agent that waits for this tool call; undefined: the main thread. */
export function takeStopNotices(state: GovernorState, toolUseId: string | undefined): AgentText {
  const { unreadNotices } = state.work.agents;
  const isDue = ({ isForMainThread, ...entry }: Agents['unreadNotices'][number]) =>
    isForMainThread ? toolUseId === undefined : entry.toolUseId === toolUseId;
  const due = unreadNotices.filter(isDue);
  if (due.length === 0) return withoutText(state);
  const rest = unreadNotices.filter((entry) => !isDue(entry));
  return { state: changedIn(state, 'agents', { unreadNotices: rest }), text: due.map(({ text }) => text).join(' ') };
}

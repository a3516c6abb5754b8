import { answeredIn, usesIn } from '../../protocol/blocks.ts';
import type { AssistantEvent, Event, PartialEvent, TaskEvent, UserEvent } from '../../protocol/events.ts';
import { fieldsOf, mapFields, ownOf, textOf } from '../../protocol/fields.ts';
import { contextOf, hasNoInput, readUsage, type Usage } from '../../protocol/usage.ts';
import { sumOf } from '../../text/sum-of.ts';
import { openCall } from '../cost/priced-call.ts';
import { leastPriceFor, microUsdOf } from '../cost/prices.ts';
import type { OwnEventOf } from '../input.ts';
import type { GovernorState } from '../state.ts';
import { changedIn } from '../steps.ts';
import { type Agent, type AgentCall, type Agents, NEW_AGENT, NO_CALL } from './agents-state.ts';

/** claude's own name for a workflow's agents, in hooks and files. */
const WORKFLOW_KIND = 'workflow-subagent';

/** Whether the tool starts an agent; `Task` is the older name. */
export function isAgentCall(tool: string): boolean {
  return tool === 'Agent' || tool === 'Task';
}

/**
 * Updates the subagents after a line. The stream has the calls of agents that the main thread starts. It lacks the last
 * call of an agent that a turn waits for; the tool's result has its usage. For agents of agents or workflows it has
 * only the sizes of their contexts, so their figures are estimates.
 */
export function readAgents(state: GovernorState, event: Event): GovernorState {
  if (event.kind === 'task') return readTask(state, event);
  if (event.kind === 'user') return event.role === 'tool-result' ? readHandBack(state, event) : state;
  if (event.kind !== 'assistant' && event.kind !== 'partial') return state;
  return event.subagent === null ? state : readCall(state, event, event.subagent);
}

export function agentOf({ work: { agents } }: GovernorState, id: string): Agent | undefined {
  return ownOf(agents.all, id);
}

export function agentsOf({ work: { agents } }: GovernorState): readonly Agent[] {
  return Object.values(agents.all);
}

export function agentOfTask(state: GovernorState, taskId: string): Agent | undefined {
  return agentsOf(state).find((agent) => agent.taskId === taskId);
}

/** Whether a line reports the end of an agent that ctxb stopped. claude starts a turn about a background agent. */
export function reportsStoppedAgent(state: GovernorState, event: Event): boolean {
  return event.kind === 'task' && agentOfTask(state, event.taskId)?.phase === 'stopped';
}

/** Whether claude is about to start a turn about an agent, or an agent is being stopped. */
export function isReporting(state: GovernorState): boolean {
  const stopped = agentsOf(state).filter(({ phase }) => phase === 'stopped');
  return state.work.tasks.some(
    ({ id, phase }) =>
      phase === 'reporting' || stopped.some(({ taskId, workflow }) => taskId === id || workflow === id),
  );
}

export function withoutRunning({ work: { agents } }: GovernorState): Agents {
  const over = (agent: Agent): Agent => (agent.phase === 'running' ? { ...agent, phase: 'over' } : agent);
  return { ...agents, all: mapFields(agents.all, over), pendingStarts: [] };
}

export function withAgent(state: GovernorState, id: string, changes: Partial<Agent>): GovernorState {
  const agent = { ...(agentOf(state, id) ?? NEW_AGENT), id, ...changes };
  return changedIn(state, 'agents', { all: { ...state.work.agents.all, [id]: agent } });
}

export function agentTotals(state: GovernorState) {
  const all = agentsOf(state).filter(hasCalled);
  return { count: all.length, microUsd: sumOf(all, ({ microUsd }) => microUsd) };
}

export function hasCalled({ calls }: Agent): boolean {
  return calls > 0;
}

/** Whether an agent whose calls are not in the stream may have made a call. */
export function hasMovedUnseen({ id, isUnseen, last }: Agent, before: GovernorState): boolean {
  return isUnseen && last !== agentOf(before, id)?.last;
}

/** Counts a call from the stream; the cost already includes its price. */
function readCall(state: GovernorState, event: AssistantEvent | PartialEvent, id: string): GovernorState {
  const open = openCall(state.limits.cost, id);
  if (event.kind === 'partial') {
    const known = agentOf(state, id);
    if (known === undefined || open === undefined || known.last.messageId !== open.messageId) return state;
    return withAgent(state, id, countCall(known, { ...known.last, ...open }));
  }
  const { usage, messageId, model, blocks } = event;
  if (event.isSynthetic || usage === undefined || hasNoInput(usage)) return state;
  const agent = agentOf(state, id) ?? NEW_AGENT;
  const isSame = messageId !== '' && agent.last.messageId === messageId;
  const usesTool = usesIn(blocks).length > 0 || (isSame && agent.last.usesTool);
  const { output = usage.output, microUsd = 0 } = open ?? {};
  const call = { messageId, model, context: contextOf(usage), output, microUsd, usesTool };
  return withAgent(state, id, { ...countCall(agent, call), isUnseen: false });
}

/**
 * Counts the last call of an agent that its parent waited for. The result of the tool has its usage, which the stream
 * lacks.
 */
function readHandBack(state: GovernorState, event: UserEvent): GovernorState {
  const report = fieldsOf(event.toolReport);
  const ids = answeredIn(event.blocks);
  const [id = ''] = ids;
  const next = ids.reduce(forgetAsked, state);
  const taskId = textOf(report.agentId);
  if (taskId === undefined) return next;
  const kind = textOf(report.agentType);
  const agent = agentOf(next, id);
  // A session log stores the agent's lines in a separate file, under another id.
  if (agent === undefined) return kind === undefined ? next : withAgent(next, taskId, { kind, taskId });
  const phase = phaseAfter(agent, report.status === 'completed');
  const over = withAgent(next, id, { kind: kind ?? agent.kind, taskId, phase });
  const usage = readUsage(report.usage);
  if (report.status !== 'completed' || usage === undefined || !agent.last.usesTool || agent.phase === 'stopped')
    return over;
  const call = callOf(next, '', usage, textOf(report.resolvedModel) ?? agent.last.model);
  return withAgent(over, id, countCall(agent, call));
}

function phaseAfter({ phase }: Agent, isDone: boolean): Agent['phase'] {
  return isDone && phase === 'running' ? 'over' : phase;
}

function readTask(state: GovernorState, event: TaskEvent): GovernorState {
  const { change, taskId, toolUseId, tokens } = event;
  if (event.agents.length > 0) return event.agents.reduce((next, one) => readWorkflowAgent(next, event, one), state);
  if (change === 'started') return readStart(forgetAsked(state, toolUseId), event);
  const agent = agentOfTask(state, taskId);
  if (agent === undefined) return readWorkflow(state, event);
  const counted = tokens === undefined ? state : countTask(state, agent, tokens, change === 'ended');
  return change === 'progress' || agent.phase !== 'running' ? counted : withAgent(counted, agent.id, { phase: 'over' });
}

function readStart(state: GovernorState, { type, taskId, toolUseId, name, description, parent }: TaskEvent) {
  if (type !== 'agent') return state;
  const agent = agentOfTask(state, taskId);
  // An agent that receives a message continues as the same task under another tool call.
  if (agent !== undefined) return agent.phase === 'over' ? withAgent(state, agent.id, { phase: 'running' }) : state;
  return withAgent(state, toolUseId ?? taskId, {
    kind: name,
    name: description,
    taskId,
    isUnseen: parent !== undefined,
  });
}

/** Counts calls that the stream lacks: the last call of an agent, or every call of an unseen agent (`isUnseen`). */
function countTask(state: GovernorState, agent: Agent, tokens: number, isEnd: boolean): GovernorState {
  const isDue = agent.isUnseen ? tokens !== agent.used : isEnd && agent.phase === 'running' && agent.last.usesTool;
  // A call with as many tokens as the last one cannot be seen here. claude's log or cost counter shows it.
  if (!isDue || tokens === 0) return agent.isUnseen ? withAgent(state, agent.id, { last: { ...agent.last } }) : state;
  const counted = countCall(agent, estimatedCall(state, agent.used, tokens, agent.last.model));
  // The count includes the answer, which is no longer in any context.
  const peak = agent.isUnseen || agent.calls === 0 ? tokens : agent.peak;
  return withAgent(state, agent.id, { ...counted, peak: Math.max(agent.peak, peak) });
}

function readWorkflowAgent(state: GovernorState, { taskId: workflow }: TaskEvent, member: TaskEvent['agents'][number]) {
  const { id, label: name, model, tokens, toolUses, isDone } = member;
  const agent = agentOf(state, id) ?? NEW_AGENT;
  const phase = phaseAfter(agent, isDone);
  const known = { kind: WORKFLOW_KIND, name, taskId: id, workflow, isUnseen: true, phase };
  // claude reports the agent's figures at its start and end, not at each call.
  if (tokens === 0) return withAgent(state, id, known);
  const more = toolUses + (isDone ? 1 : 0) - agent.calls;
  const sizes = { used: tokens, peak: Math.max(agent.peak, tokens) };
  if (more <= 0) return withAgent(state, id, { ...known, ...sizes });
  const first = countCall(agent, estimatedCall(state, agent.used, tokens, model));
  const estimated = estimatedCall(state, tokens, tokens, model);
  return withAgent(state, id, {
    ...known,
    ...first,
    ...sizes,
    calls: agent.calls + more,
    tokens: agent.tokens + more * tokens,
    microUsd: first.microUsd + (more - 1) * estimated.microUsd,
  });
}

/**
 * Counts calls of a workflow's agents. Between two lists of agents, claude reports only which agent called last, and
 * the sum of all contexts.
 */
function readWorkflow(state: GovernorState, { taskId, tokens = 0, lastTool, change }: TaskEvent): GovernorState {
  const members = agentsOf(state).filter(({ workflow }) => workflow === taskId);
  const running = members.filter(({ phase }) => phase === 'running');
  if (change !== 'progress') return running.reduce((next, { id }) => withAgent(next, id, { phase: 'over' }), state);
  const agent = running.find(({ name }) => name === lastTool);
  if (agent === undefined) return state;
  const others = sumOf(members, ({ used }) => used) - agent.used;
  const context = Math.max(agent.used, tokens - others);
  const call = estimatedCall(state, agent.used, context, agent.last.model);
  // If two agents called between two lines, this agent gets both calls. The next list corrects its size.
  return withAgent(state, agent.id, { ...countCall(agent, call), peak: agent.peak });
}

/** Replaces the figures of an agent by those from its log, because the stream lacks final token counts. */
export function onAgentFigures(state: GovernorState, { id, tokens, microUsd }: OwnEventOf<'agent-read'>) {
  const agent = agentOf(state, id);
  if (agent === undefined) return state;
  return withAgent(state, id, {
    tokens: Math.max(agent.tokens, tokens),
    microUsd: Math.max(agent.microUsd, microUsd),
  });
}

/** The last call of the agent in the stream, if claude's log may lack it. A call without an id is in the log. */
export function streamedCall({ last }: Agent) {
  return last.messageId === '' || last.messageId === ESTIMATED ? NO_CALL : last;
}

/** Whether the newest figures are estimates, because the stream lacks the agent's calls. */
export function isEstimated({ isUnseen, last }: Agent): boolean {
  return isUnseen || last.messageId === ESTIMATED;
}

function forgetAsked(state: GovernorState, toolUseId: string | undefined): GovernorState {
  const { pendingStarts } = state.work.agents;
  if (toolUseId === undefined || !pendingStarts.includes(toolUseId)) return state;
  return changedIn(state, 'agents', { pendingStarts: pendingStarts.filter((id) => id !== toolUseId) });
}

function countCall(agent: Agent, call: AgentCall) {
  const before = continuesLast(agent, call) ? agent.last : NO_CALL;
  const isOnly = agent.calls === 1 && before !== NO_CALL;
  return {
    last: call,
    used: call.context,
    peak: Math.max(isOnly ? 0 : agent.peak, call.context),
    calls: agent.calls + (before === NO_CALL ? 1 : 0),
    tokens: agent.tokens + call.context + call.output - before.context - before.output,
    microUsd: agent.microUsd + call.microUsd - before.microUsd,
  };
}

/** Message id of an estimated call, whose kinds of tokens are unknown. */
const ESTIMATED = 'estimated';

/**
 * Whether a call continues the last one. A call with an id has several lines, and the tool's result repeats an
 * estimated call.
 */
function continuesLast({ isUnseen, last }: Agent, { messageId }: AgentCall): boolean {
  if (messageId === ESTIMATED) return false;
  return messageId === '' ? last.messageId === ESTIMATED && !isUnseen : last.messageId === messageId;
}

/** Estimates a call from the size of its context: the earlier part is read from the cache, the rest is new. */
function estimatedCall(state: GovernorState, used: number, tokens: number, model: string | undefined): AgentCall {
  const cacheRead = Math.min(used, tokens);
  const usage = { input: 0, cacheCreation: tokens - cacheRead, cacheRead, output: 0 };
  return callOf(state, ESTIMATED, usage, model);
}

/** A call of an agent. By default, an agent uses the main thread's model. */
function callOf(
  { session, run }: GovernorState,
  messageId: string,
  usage: Usage,
  model: string | undefined,
): AgentCall {
  const price = leastPriceFor(model ?? session.model, run.policy.cost.prices, session.version);
  const microUsd = price === undefined ? 0 : microUsdOf(usage, price);
  const { output } = usage;
  return { messageId, model, context: contextOf(usage), output, microUsd, usesTool: messageId === ESTIMATED };
}

import { ownOf } from '../../protocol/fields.ts';
import { sumOf } from '../../text/sum-of.ts';
import { agentOfTask } from '../agents/agents.ts';
import { USUAL_RATIOS } from '../cost/prices.ts';
import { predictedTokens } from '../gauge/gauge.ts';
import { estimateTokens } from '../gauge/token-estimate.ts';
import { inTokens, type Plan, planInTokens, type ToolsPolicy } from '../policy.ts';
import { promptsInTurn } from '../prompts/mailbox.ts';
import type { GovernorState } from '../state.ts';
import type { ToolCall } from './tool-budget.ts';

/** Maximum tokens of a Read that claude certainly accepts. From a plan of this size on, ctxb does not change Read. */
export const MAX_READ_TOKENS = 20_000;

/** Known tokens of each tier in a context; other tiers count as planned. */
export interface SpentTokens {
  readonly history: number;
  readonly toolResults: number;
  readonly user: number;
}

/** Remaining tokens; negative if more was used than planned. Undefined without a measurement. */
export interface Room {
  readonly plan: number;
  /** Remaining tokens of the tier for tool results. */
  readonly results: number;
  /** Remaining tokens of the window, without the share of the answer. */
  readonly window?: number | undefined;
  /** Remaining tokens until a relief of the context. */
  readonly relief?: number | undefined;
  /** Smallest result for which another call pays; 0 without a measurement. */
  readonly worthwhile: number;
}

/** Tokens of an answer that asks for the next page. */
const ANSWER_TOKENS = 80;

/** Assumed number of calls that read a result again before the next relief. */
const CALLS_AFTER = 20;

/** The size at which a result costs as much as the call that fetches it. @param used tokens that the call reads */
export function breakEvenTokens(used: number): number {
  const { cacheRead, cacheWrite, output } = USUAL_RATIOS;
  return Math.ceil((used * cacheRead + ANSWER_TOKENS * output) / (cacheWrite + CALLS_AFTER * cacheRead));
}

/**
 * Share of the space until relief that a result may have beyond the plan. With almost no room, an agent would read a
 * file in fifty pieces.
 */
const REST_SHARE = 1 / 20;

/** The room according to the plan. System prompt and answer count as planned, regardless of their actual size. */
export function planRoom(parts: Plan, spent: SpentTokens): Pick<Room, 'plan' | 'results'> {
  const { total, system, response, toolResults } = parts;
  return {
    plan: total - system - spent.history - spent.toolResults - spent.user - response,
    results: toolResults - spent.toolResults,
  };
}

/** The room of the main thread (null) or of a subagent, each in its own window. */
export function roomFor(state: GovernorState, agent: string | null): Room {
  const { policy } = state.run;
  const { budget } = state.work;
  // Assumes that a subagent's window has the size of the main thread's.
  const { tokens: window } = state.gauge.window;
  const parts = planInTokens(policy.tiers.total, window);
  const { history, results, user, used } = agent === null ? usedByMain(state) : usedByAgent(state, agent);
  const waiting = Object.values(budget.open).filter((result) => result.agent === agent);
  const open = sumOf(waiting, ({ tokens }) => tokens);
  // A long turn that has used up the plan for results gets it again, because the window is measured anyway.
  const inPlan = parts.toolResults > 0 ? results % parts.toolResults : results;
  const planned = planRoom(parts, { history, toolResults: inPlan + open, user });
  if (used === undefined || window === undefined) return { ...planned, worthwhile: 0 };
  const next = used + open;
  const remaining = window - next - parts.response;
  const { compaction, thresholds } = policy;
  // The level between turns; without compaction, the level within a turn.
  const reliefLevel = inTokens(compaction.enabled ? thresholds.compact : thresholds.midTurn, window);
  const relief = Math.min(remaining, reliefLevel - next);
  return { ...planned, window: remaining, relief, worthwhile: breakEvenTokens(next) };
}

function usedByMain(state: GovernorState) {
  const { history, results } = state.work.budget;
  const user = sumOf(promptsInTurn(state), ({ text }) => estimateTokens(text));
  return { history, results, user, used: state.gauge.basis === 'none' ? undefined : predictedTokens(state.gauge) };
}

function usedByAgent(state: GovernorState, agent: string) {
  const results = ownOf(state.work.budget.agents, agent) ?? 0;
  return { history: 0, results, user: 0, used: agentOfTask(state, agent)?.used };
}

/** Tokens that one result of this tool may have now, not below the size that is worth a call. */
export function tokensForResult(state: GovernorState, { tool, agent }: Pick<ToolCall, 'tool' | 'agent'>): number {
  const { tools } = state.run.policy;
  const room = roomFor(state, agent);
  const perCall = inTokens(perCallOf(tools, tool), state.gauge.window.tokens);
  const allotment = tokensWithin(room, { perCall, minTokens: tools.minTokens });
  // The agent is likely to fetch the rest of a cut file. So only a low `perCall` limits a Read, and the plan does not.
  return tool === 'Read' && perCall >= MAX_READ_TOKENS
    ? Math.max(allotment, Math.min(perCall, Math.floor(room.window ?? 0)))
    : allotment;
}

export function tokensWithin(room: Room, { perCall, minTokens }: Pick<ToolsPolicy, 'perCall' | 'minTokens'>): number {
  const { plan, results, window = 0, relief, worthwhile } = room;
  const planned = Math.min(plan, results);
  const maxTokens = relief === undefined ? planned : Math.max(Math.min(planned, relief), relief * REST_SHARE);
  const minimum = Math.max(minTokens, Math.min(worthwhile, window));
  return Math.max(Math.min(minimum, perCall), Math.floor(Math.min(perCall, maxTokens)));
}

/** Whether a result passes whole: it fits, or fetching the rest would cost more than the cut saves. */
export function isWorthPassing(state: GovernorState, { agent }: ToolCall, tokens: number, allowed: number): boolean {
  const { worthwhile, window = 0 } = roomFor(state, agent);
  return tokens <= allowed || (tokens - allowed <= worthwhile && tokens <= window);
}

/**
 * Whether fetching the rest of cut results has cost more than the cuts saved. A budget that the user set applies in any
 * case.
 */
export function cutsLoseMoney(state: GovernorState, { tool, agent }: ToolCall, tokens: number): boolean {
  const { run, gauge, work } = state;
  const { tokens: saved, calls } = work.tools.contents.cut;
  const isDefault = perCallOf(run.policy.tools, 'Read') >= MAX_READ_TOKENS && !(tool in run.policy.tools.byTool);
  const isFitting = tokens < (gauge.window.tokens ?? 0) - predictedTokens(gauge);
  return agent === null && isDefault && isFitting && saved < calls * roomFor(state, agent).worthwhile;
}

/** An exact name takes precedence over patterns, and a longer pattern over a shorter one. */
export function perCallOf({ perCall, byTool }: ToolsPolicy, tool: string): number {
  const [best = ''] = Object.keys(byTool)
    .filter((pattern) => matches(pattern, tool))
    .sort((a, b) => b.length - a.length);
  return ownOf(byTool, tool) ?? ownOf(byTool, best) ?? perCall;
}

/** Matches part by part in linear time; a regular expression could backtrack exponentially. */
function matches(pattern: string, tool: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined || !tool.startsWith(first) || !tool.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts) {
    const index = tool.indexOf(part, at);
    if (index < 0) return false;
    at = index + part.length;
  }
  return at + last.length <= tool.length;
}

import { ownOf } from '../../protocol/fields.ts';
import { agentOfTask } from '../agents/agents.ts';
import { USUAL_RATIOS } from '../cost/prices.ts';
import { predicted } from '../gauge/gauge.ts';
import { estimateTokens } from '../gauge/token-estimate.ts';
import { inTokens, type Policy, type Tiers, type ToolsPolicy } from '../policy.ts';
import { inTurn } from '../prompts/mailbox.ts';
import type { GovernorState } from '../state.ts';

/** Tokens of a Read that claude is certain to take. A plan that allows as much leaves files as claude alone gives them. */
export const LARGEST_PART = 20_000;

/** Tokens that a context is known to hold of each tier; other tiers count as planned. */
export interface Spent {
  readonly history: number;
  readonly toolResults: number;
  readonly user: number;
}

/** What is left, in tokens; below 0 if more was taken than planned. */
export interface Room {
  /** Of the whole plan. */
  readonly plan: number;
  /** Of the tier of tool results. */
  readonly results: number;
  /** Of the measured window, without the share of the answer; undefined if nothing is measured. */
  readonly window: number | undefined;
  /** Until the context is relieved; undefined as before. */
  readonly relief: number | undefined;
  /** The least that is worth a call of its own; 0 where nothing is measured. */
  readonly worth: number;
}

/** Tokens of an answer that asks for the next page. */
const ANSWER_TOKENS = 80;

/** Calls that read a result again before the context is relieved. Assumed, not measured. */
const CALLS_AFTER = 20;

/**
 * The least that is worth a call of its own, in tokens: as much as costs what the call that fetches it costs. A smaller
 * rest is cheaper sent at once.
 *
 * @param used what the call reads, in tokens
 */
export function worthACall(used: number): number {
  const { cacheRead, cacheWrite, output } = USUAL_RATIOS;
  return Math.ceil((used * cacheRead + ANSWER_TOKENS * output) / (cacheWrite + CALLS_AFTER * cacheRead));
}

/**
 * Beyond the plan a result may have this part of what is left until the context is relieved: the plan is a target, and
 * an agent that gets next to nothing while the window is half empty reads the same file in fifty pieces.
 */
const PART_OF_REST = 1 / 20;

/** The arithmetic of the tiers. System prompt and answer count as planned, whatever they take. */
export function planRoom(tiers: Tiers, spent: Spent): Pick<Room, 'plan' | 'results'> {
  const { total, system, response, toolResults } = tiers;
  return {
    plan: total - system - spent.history - spent.toolResults - spent.user - response,
    results: toolResults - spent.toolResults,
  };
}

/** What is left for the caller of a tool: the main thread (null) or a subagent, each in its own window. */
export function roomFor(state: GovernorState, agent: string | null): Room {
  const { run, gauge, toolBudget } = state;
  const main = {
    history: toolBudget.history,
    results: toolBudget.results,
    user: inTurn(state).reduce((sum, { text }) => sum + estimateTokens(text), 0),
    used: gauge.basis === 'none' ? undefined : predicted(gauge),
  };
  // A subagent's window is assumed to be as large as the main thread's.
  const own = (id: string) => ({ results: ownOf(toolBudget.agents, id) ?? 0, used: agentOfTask(state, id)?.[1].used });
  const { history, results, user, used } = agent === null ? main : { history: 0, user: 0, ...own(agent) };
  const waiting = Object.values(toolBudget.open).filter((result) => result.agent === agent);
  const open = waiting.reduce((sum, { tokens }) => sum + tokens, 0);
  const spent = { history, toolResults: renewed(state, results) + open, user };
  return roomIn(run.policy, gauge.window.tokens, spent, used === undefined ? undefined : used + open);
}

/**
 * @param window tokens; undefined: not known
 * @param used what the window holds, in tokens; undefined where nothing is measured
 */
export function roomIn(policy: Policy, window: number | undefined, spent: Spent, used: number | undefined): Room {
  const tiers = tiersInTokens(policy.tiers, window);
  if (used === undefined || window === undefined) {
    return { ...planRoom(tiers, spent), window: undefined, relief: undefined, worth: 0 };
  }
  const left = window - used - tiers.response;
  const { compaction, thresholds } = policy;
  // Between two turns, or else in one.
  const reliefLevel = inTokens(compaction.enabled ? thresholds.compact : thresholds.midTurn, window);
  const relief = Math.min(left, reliefLevel - used);
  return { ...planRoom(tiers, spent), window: left, relief, worth: worthACall(used) };
}

/**
 * Tokens one result of this tool may take now. It falls as results fill their tier and as the context comes near the
 * level at which it is relieved, but not below what is worth a call.
 */
export function allocation(state: GovernorState, tool: string, agent: string | null): number {
  return allocationIn(state.run.policy, state.gauge.window.tokens, roomFor(state, agent), tool);
}

/** @param window tokens */
export function allocationIn({ tools }: Policy, window: number | undefined, room: Room, tool: string): number {
  const { minTokens } = tools;
  const perCall = inTokens(perCallOf(tools, tool), window);
  const allotted = allot(room, { perCall, minTokens });
  // What is cut off a file is most likely fetched: where no less was asked for, the plan does not cut it.
  return tool === 'Read' && perCall >= LARGEST_PART
    ? Math.max(allotted, Math.min(perCall, Math.floor(room.window ?? 0)))
    : allotted;
}

/** @param limits tokens */
export function allot(room: Room, { perCall, minTokens }: Pick<ToolsPolicy, 'perCall' | 'minTokens'>): number {
  const { plan, results, window = 0, relief, worth } = room;
  const planned = Math.min(plan, results);
  const most = relief === undefined ? planned : Math.max(Math.min(planned, relief), relief * PART_OF_REST);
  const least = Math.max(minTokens, Math.min(worth, window));
  return Math.max(Math.min(least, perCall), Math.floor(Math.min(perCall, most)));
}

/** Whether a result goes through whole: it fits, or fetching what is cut off would cost more than it saves. */
export function isWorthPassing(state: GovernorState, agent: string | null, tokens: number, allowed: number): boolean {
  const { worth, window = 0 } = roomFor(state, agent);
  return tokens <= allowed || (tokens - allowed <= worth && tokens <= window);
}

/** The name itself counts before a pattern, and of two patterns the longer. */
export function perCallOf({ perCall, byTool }: ToolsPolicy, tool: string): number {
  const [best = ''] = Object.keys(byTool)
    .filter((pattern) => matches(pattern, tool))
    .sort((a, b) => b.length - a.length);
  return ownOf(byTool, tool) ?? ownOf(byTool, best) ?? perCall;
}

/** Finds part after part, in linear time: a regular expression could backtrack without end. */
function matches(pattern: string, tool: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined || !tool.startsWith(first) || !tool.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = tool.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at + last.length <= tool.length;
}

/** @param window tokens */
export function tiersInTokens(tiers: Tiers, window: number | undefined): Tiers {
  const entries = Object.entries(tiers).map(([name, tier]) => [name, inTokens(tier, window)]);
  return { ...tiers, ...Object.fromEntries(entries) };
}

/** A long turn gets the plan of its results again each time they have used it up: what is left is measured anyway. */
function renewed({ run, gauge }: GovernorState, results: number): number {
  const tier = inTokens(run.policy.tiers.toolResults, gauge.window.tokens);
  return tier > 0 ? results % tier : results;
}

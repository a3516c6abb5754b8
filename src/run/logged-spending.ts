import { basename } from 'node:path';
import { findSessionLog } from '../claude/claude-folders.ts';
import { type LoggedCalls, loggedCalls, loggedMicroUsd, logsBeside } from '../claude/logged-calls.ts';
import { hasAgentLimits } from '../core/governor/agents/agent-limits.ts';
import { agentOf, hasMovedUnseen, streamedCall } from '../core/governor/agents/agents.ts';
import { totalMicroUsd } from '../core/governor/cost/cost.ts';
import { callMicroUsd } from '../core/governor/cost/priced-call.ts';
import type { OwnEvent } from '../core/governor/input.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { contextOf } from '../core/protocol/usage.ts';
import type { Io } from '../io.ts';
import type { WholeResults } from './output/whole-results.ts';

/**
 * The spending of an ended process by claude's logs and its counter. On the stream, only the result of a turn has the
 * final token counts of calls. A turn cut off by a kill has no result, and a subagent is stopped before it.
 *
 * @param since time of claude's last report, in milliseconds since the epoch
 */
export function spendingAtExit(state: GovernorState, io: Io, figures: WholeResults, since: number) {
  const path = findSessionLog(state.session, io);
  if (path === undefined) return {};
  const paths = logsBeside(path);
  figures.correct(loggedCalls(paths, figures.reportedAt));
  const calls = loggedCalls(paths, since);
  const missing = state.limits.cost.calls.filter(({ messageId }) => !calls.has(messageId));
  const openMicroUsd = missing.reduce((sum, call) => sum + callMicroUsd(call), microUsdOf(calls, state));
  return { openMicroUsd };
}

/** Spending of limited subagents whose figures a line has changed. */
export function spendingOfAgents(before: GovernorState, after: GovernorState, io: Io): OwnEvent[] {
  if (!hasAgentLimits(after.run.policy.agents)) return [];
  if (!after.run.persistent) return unseenOf(before, after);
  if (after.work.agents.all === before.work.agents.all) return [];
  return Object.values(after.work.agents.all).flatMap((agent) => {
    const isSame = agent.calls <= (agentOf(before, agent.id)?.calls ?? 0);
    if (isSame && !hasMovedUnseen(agent, before)) return [];
    const session = findSessionLog(after.session, io);
    const paths = session === undefined ? [] : logsBeside(session);
    const calls = new Map(loggedCalls(paths.filter((path) => basename(path) === `agent-${agent.taskId}.jsonl`)));
    const last = streamedCall(agent);
    calls.delete(last.messageId);
    const whole = [...calls.values()].reduce((sum, { usage }) => sum + contextOf(usage) + usage.output, 0);
    const tokens = whole + last.context + last.output;
    const microUsd = microUsdOf(calls, after) + last.microUsd;
    return calls.size === 0 ? [] : [{ kind: 'agent-read', id: agent.id, tokens, microUsd }];
  });
}

/**
 * The calls that the stream did not show. Without a log, only claude's counter has them, for all subagents together. So
 * each subagent that has called since its last report counts all of them.
 */
function unseenOf({ limits: { cost }, work: { agents } }: GovernorState, after: GovernorState): OwnEvent[] {
  const unseen = totalMicroUsd(after.limits.cost) - totalMicroUsd(cost);
  if (after.limits.cost.reported === cost.reported || unseen <= 0) return [];
  return Object.values(agents.all).flatMap(({ id, tokens, microUsd, isUnseen, phase }) => {
    const call = cost.calls.find(({ thread }) => thread === id);
    if (call === undefined && !(isUnseen && phase === 'running')) return [];
    const written = call === undefined ? 0 : Math.round((unseen * 1_000_000) / Math.max(1, call.price.output));
    return [{ kind: 'agent-read', id, tokens: tokens + written, microUsd: microUsd + unseen }];
  });
}

function microUsdOf(calls: LoggedCalls, { run }: GovernorState): number {
  return loggedMicroUsd(calls, run.policy.cost.prices);
}

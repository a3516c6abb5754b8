import { basename } from 'node:path';
import { findSessionLog } from '../claude/find-session-log.ts';
import { agentLogs, type LoggedCalls, loggedCalls, loggedMicroUsd } from '../claude/logged-calls.ts';
import { hasAgentLimits } from '../core/governor/agents/agent-limits.ts';
import { agentOf } from '../core/governor/agents/agents.ts';
import { callMicroUsd } from '../core/governor/cost/priced-call.ts';
import type { ExitEvent, OwnEvent } from '../core/governor/input.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { contextOf } from '../core/protocol/usage.ts';
import type { Io } from '../io.ts';
import type { WholeResults } from './output/whole-results.ts';

/**
 * What calls have cost by claude's logs. On the stream, only the result of a turn has their final token counts: a turn
 * that a kill cuts off has none, and a subagent is stopped before.
 */
export const loggedSpending = {
  /**
   * At the end of a process.
   *
   * @param since time of claude's last report, in milliseconds since the epoch
   */
  atExit(state: GovernorState, io: Io, figures: WholeResults, since: number): Pick<ExitEvent, 'openMicroUsd'> {
    const path = logOf(state, io);
    if (path === undefined) return {};
    const paths = [path, ...agentLogs(path)];
    figures.correct(loggedCalls(paths, figures.reportedAt));
    const calls = loggedCalls(paths, since);
    const missing = state.cost.calls.filter(({ messageId }) => !calls.has(messageId));
    const openMicroUsd = missing.reduce((sum, call) => sum + callMicroUsd(call), microUsdOf(calls, state));
    return { openMicroUsd };
  },

  /** Of limited subagents whose figures a line has changed. */
  ofAgents(before: GovernorState, after: GovernorState, io: Io): OwnEvent[] {
    if (after.agents.all === before.agents.all || !hasAgentLimits(after.run.policy.agents)) return [];
    return Object.entries(after.agents.all).flatMap(([id, { taskId, calls: count, last }]) => {
      if (count <= (agentOf(before, id)?.calls ?? 0)) return [];
      const session = logOf(after, io);
      const paths = session === undefined ? [] : agentLogs(session);
      const calls = new Map(loggedCalls(paths.filter((path) => basename(path) === `agent-${taskId}.jsonl`)));
      calls.delete(last?.messageId ?? '');
      const tokens = [...calls.values()].reduce((sum, { usage }) => sum + contextOf(usage) + usage.output, 0);
      return calls.size === 0 ? [] : [{ kind: 'agent-read', id, tokens, microUsd: microUsdOf(calls, after) }];
    });
  },
};

function logOf({ session }: GovernorState, { env, cwd }: Io): string | undefined {
  const { id, transcript } = session;
  return id === undefined ? undefined : findSessionLog(id, { env, cwd, transcriptPath: transcript });
}

function microUsdOf(calls: LoggedCalls, { run }: GovernorState): number {
  return loggedMicroUsd(calls, run.policy.cost.prices);
}

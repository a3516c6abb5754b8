import { isComputed, knownCostUsd } from '../core/governor/cost/cost.ts';
import { openPrompts } from '../core/governor/prompts/mailbox.ts';
import { isComparable, savedUsd } from '../core/governor/relief/accounts.ts';
import { endReason } from '../core/governor/run-status.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { CtxbError, messageOf } from '../errors.ts';
import { replaceFile, requireFolder, requireWritablePage } from '../store/files/write-file.ts';
import { maskedJson } from '../store/masks/disk-text.ts';
import type { Session } from './run-session.ts';

/** Marks a summary of an earlier run, which a new one may replace. */
const KIND = 'ctxb run summary';

export type RunSummary = ReturnType<typeof createRunSummary>;

/** Creates the summary of a run. @throws CtxbError `usage` when the path is not writable, before anything is started */
export function createRunSummary(path: string) {
  const startedAt = Date.now();
  requireWritable(path);
  return (state: GovernorState, exitCode: number, { compaction, handoff, resetsAt }: Session['seen']): void => {
    const { gauge, turn, run, session } = state;
    const costUsd = knownCostUsd(state);
    // Before the first compaction or handoff, the run costs the same as without ctxb.
    const saved = compaction + handoff === 0 ? 0 : savedUsd(state);
    const summary = {
      kind: KIND,
      version: 1,
      exitCode,
      reason: endReason(state, exitCode),
      runId: run.runId,
      sessionId: session.id ?? null,
      seconds: Math.round((Date.now() - startedAt) / 100) / 10,
      turns: turn.ended,
      calls: gauge.calls,
      peak: gauge.peak,
      window: gauge.window.tokens ?? null,
      // The cost of the same work with claude alone.
      costUsd: costUsd ?? null,
      costComputed: isComputed(state.limits.cost),
      aloneUsd: costUsd !== undefined && isComparable(state) ? costUsd + saved : null,
      compactions: compaction,
      handoffs: handoff,
      unanswered: openPrompts(state).length,
      resetsAt: resetsAt && new Date(resetsAt).toISOString(),
    };
    replaceFile(path, [maskedJson(summary, 2)]);
  };
}

function requireWritable(path: string): void {
  try {
    requireWritablePage(path, KIND);
    requireFolder(path);
  } catch (cause) {
    throw new CtxbError('usage', `--summary ${messageOf(cause)}`, { cause });
  }
}

import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { runCostUsd, toUsd } from '../core/governor/cost/cost.ts';
import type { Decision } from '../core/governor/decisions.ts';
import { openPrompts } from '../core/governor/prompts/mailbox.ts';
import { priceOfModel } from '../core/governor/relief/accounts.ts';
import { savedMicroUsd } from '../core/governor/relief/alone.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { CtxbError, isCtxbError, systemReason } from '../errors.ts';
import { replaceFile, requireFree } from '../store/files/write-file.ts';
import { maskedJson } from '../store/masks/disk-text.ts';

/** Why a run has ended, by its exit code; another code is claude's own. */
const REASONS: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'error',
  3: 'limit',
  4: 'unrelieved',
  5: 'usage-limit',
  6: 'stalled',
  7: 'unanswered',
};

/** A signal ends a run with 128 and its number. */
const SIGNALS = 128;

/** By this a summary of an earlier run is recognised, whose place a new one may take. */
const KIND = 'ctxb run summary';

export type RunSummary = ReturnType<typeof createRunSummary>;

/**
 * A file of JSON that tells at the end of a run how it went.
 *
 * @throws CtxbError `usage` where it cannot be written, before anything is started
 */
export function createRunSummary(path: string) {
  const begun = Date.now();
  const counts = { compactions: 0, handoffs: 0 };
  requireWritable(path);
  return {
    see(decision: Decision): void {
      if (decision.kind === 'native-compaction') counts.compactions++;
      if (decision.kind === 'compacted' && decision.verdict === 'success') counts.compactions++;
      if (decision.kind === 'handed-over') counts.handoffs++;
    },
    write(state: GovernorState, exitCode: number): void {
      const { gauge, turn, run, session } = state;
      const costUsd = runCostUsd(state);
      const aloneUsd = priceOfModel(state) && costUsd + savedUsd(state);
      const told = {
        kind: KIND,
        version: 1,
        ...{ exitCode, reason: REASONS[exitCode] ?? (exitCode > SIGNALS ? 'signal' : 'claude') },
        ...{ runId: run.runId, sessionId: session.id ?? null },
        seconds: Math.round((Date.now() - begun) / 100) / 10,
        ...{ turns: turn.ended, calls: gauge.calls },
        ...{ peak: gauge.peak, window: gauge.window.tokens ?? null },
        // What claude alone would have paid for the same work.
        ...{ costUsd, aloneUsd: aloneUsd ?? null },
        ...counts,
        unanswered: openPrompts(state).length,
      };
      replaceFile(path, [maskedJson(told, 2)]);
    },
  };

  /** Before anything was relieved the two accounts are one. */
  function savedUsd({ relief, gauge }: GovernorState): number {
    return counts.compactions + counts.handoffs === 0 ? 0 : toUsd(savedMicroUsd(relief.alone, gauge));
  }
}

function requireWritable(path: string): void {
  try {
    requireFree(path, KIND);
    accessSync(dirname(path), constants.W_OK);
  } catch (cause) {
    const reason = isCtxbError(cause) ? cause.message : systemReason(cause);
    throw new CtxbError('usage', `--summary ${path}: cannot be written (${reason})`, { cause });
  }
}

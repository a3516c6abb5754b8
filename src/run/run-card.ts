import { resolve } from 'node:path';
import { type Decision, finishedRelief } from '../core/governor/decisions.ts';
import { endReason, runStatusOf } from '../core/governor/run-status.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { CwdAndEnv } from '../io.ts';
import { processMark } from '../store/files/process-mark.ts';
import { stateFolder } from '../store/folders/user-folders.ts';
import { type RunCard, writeRunCard } from '../store/runs/run-cards.ts';
import type { WholeResults } from './output/whole-results.ts';

/** Minimum interval between two writes of a card, in milliseconds. */
const PAUSE_MS = 1_000;

export function maintainRunCard({ cwd, env }: CwdAndEnv, figures: WholeResults, first: GovernorState) {
  const { runId, contextDir } = first.run;
  const folder = stateFolder(env);
  const place = {
    version: 1,
    runId,
    cwd,
    contextDir: resolve(cwd, contextDir),
    ctxb: processMark(process.pid),
  } as const;
  const since = Date.now();
  let latest = first;
  const seen = { compaction: 0, handoff: 0, resetsAt: undefined as number | undefined };
  let timer: NodeJS.Timeout | undefined;
  // Without a home folder, or with a read-only one, the run is not in the list.
  let isListed = true;

  function write(end: RunCard['end']): void {
    if (folder === undefined || !isListed) return;
    const card: RunCard = {
      ...place,
      since,
      at: Date.now(),
      ...runStatusOf(latest),
      compactions: seen.compaction,
      handoffs: seen.handoff,
      lost: figures.lost(latest),
      end,
      ...(end === null ? {} : { phase: 'ended', waitsFor: null }),
    };
    try {
      writeRunCard(folder, card);
    } catch {
      isListed = false;
    }
  }

  write(null);
  return {
    seen,
    see(state: GovernorState): void {
      latest = state;
      timer ??= setTimeout(() => {
        timer = undefined;
        write(null);
      }, PAUSE_MS).unref();
    },
    decided(decision: Decision): void {
      const relief = finishedRelief(decision);
      if (relief !== undefined) seen[relief]++;
      if ('resetsAt' in decision) seen.resetsAt = decision.resetsAt;
    },
    end(state: GovernorState, exitCode: number): void {
      clearTimeout(timer);
      latest = state;
      write({ reason: endReason(state, exitCode), exitCode });
    },
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Io } from '../../io.ts';
import { processMark } from '../../store/files/process-mark.ts';
import { createFaults } from '../../store/files/store-error.ts';
import { stateFolder } from '../../store/folders/user-folders.ts';
import { openSeal } from '../../store/runs/seal.ts';
import { createSessionStore } from '../../store/runs/session-store.ts';
import { holdSignals } from '../signals.ts';
import { findEarlierRun } from './earlier-run.ts';

interface Told {
  readonly notice: (text: string) => void;
  /** Called before it waits, or where the time is not known. */
  readonly onWait: (runId: string, resetsAt: number | undefined) => void;
}

/** Timers stop while a machine sleeps: the clock is looked at again after this long. */
const LOOK_MS = 30_000;

/**
 * Waits until the usage limit resets at which a run has ended, where that is known and to come. Resolves with the signal
 * that broke it off, if one did.
 *
 * @throws CtxbError `usage` as {@link findEarlierRun}
 */
export async function untilReset(
  { contextDir, id }: { readonly contextDir: string; readonly id: string | undefined },
  io: Io,
  { notice, onWait }: Told,
): Promise<NodeJS.Signals | undefined> {
  const { runId, resetsAt, claude } = findEarlierRun(contextDir, id, openSeal(stateFolder(io.env)));
  if (resetsAt !== undefined && resetsAt <= Date.now()) return undefined;
  onWait(runId, resetsAt);
  if (resetsAt === undefined) return undefined;
  // Another ctxb finds that the run goes on.
  const store = createSessionStore(contextDir, { runId, now: Date.now, onFault: createFaults(notice) });
  store.journal({ kind: 'start', runId, claude, ctxb: processMark(process.pid), waitsUntil: resetsAt });
  const signals = holdSignals();
  while (Date.now() < resetsAt && signals.received() === undefined) {
    // A signal breaks it off.
    await delay(Math.min(resetsAt - Date.now(), LOOK_MS), undefined, { signal: signals.stop }).catch(() => {});
  }
  signals.release();
  return signals.received();
}

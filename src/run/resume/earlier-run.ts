import { join } from 'node:path';
import { countOf, type Fields, fieldsOf, parseFields, textOf, textsOf } from '../../core/protocol/fields.ts';
import { CtxbError, orElse } from '../../errors.ts';
import { identityOf, statsOf } from '../../store/files/plain-file.ts';
import { isCertainlyAlive, type ProcessMark } from '../../store/files/process-mark.ts';
import { JOURNAL, type LinkedRun, type LoggedRun, loggedRuns } from '../../store/runs/journal.ts';
import type { Seal } from '../../store/runs/seal.ts';
import { hasRunFile, readRunFile, runsWithFile } from '../../store/runs/session-store.ts';
import type { RunSpending } from '../cost-keeper.ts';
import { readKeptPrompts } from '../kept-prompts.ts';
import type { KeptFigures } from '../output/whole-results.ts';
import type { RunSettings } from './run-settings.ts';

export type EarlierRun = ReturnType<typeof findEarlierRun>;

/**
 * The newest incomplete run of a context folder, or the run whose id begins with `id`.
 *
 * @param seal verifies the run's file, because that file names the program to start
 * @throws CtxbError `usage` when no run matches, when it is still running, or when the seal is invalid
 */
export function findEarlierRun(contextDir: string, id: string | undefined, seal: Seal) {
  // A run that claude itself interrupted has an end in the journal; on a full disk, a complete run may have none.
  const run = loggedRuns(contextDir).findLast((each) =>
    id === undefined ? isOpen(contextDir, each) : each.runId.startsWith(id),
  );
  if (run === undefined) {
    refuseUnlogged(contextDir, id);
    const which = id === undefined ? 'no unfinished run' : `no run whose id begins with ${id}`;
    throw new CtxbError('usage', `${which} in ${contextDir}: ctxb runs --all lists your runs`);
  }
  const { runId, since, claude, sessions } = run;
  // If several processes resume the run at once, the first one gets it.
  refuseRunning(runId, run.ctxb.find(isCertainlyAlive));
  if (claude === undefined) throw new CtxbError('usage', `run ${runId} had not begun: start a new run`);
  const mail = mailOf(contextDir, runId, seal);
  refuseCopy(contextDir, runId, mail.folder);
  return { runId, since, claude, sessions, ...mail };
}

/** Refuses a run that the journal does not know. It may still run, and may have sent its prompts. */
function refuseUnlogged(contextDir: string, id = ''): void {
  const logged = loggedRuns(contextDir).map(({ runId }) => runId);
  const found = runsWithFile(contextDir).find((each) => each.startsWith(id) && !logged.includes(each));
  if (found === undefined) return;
  const missingPart = `${join(contextDir, JOURNAL)} no longer names its processes and sessions`;
  throw new CtxbError('usage', `run ${found} is unfinished, but ${missingPart}: restore that file, or start a new run`);
}

/**
 * Refuses a copied run. A copy of a project contains the files of its runs, but each run is resumed only once, in its
 * own folder.
 */
function refuseCopy(contextDir: string, runId: string, folder: string): void {
  const [own, named] = [contextDir, folder].map(statsOf);
  // A folder that was moved, not copied, does not exist at its old path.
  if (!own || !named || identityOf(own) === identityOf(named)) return;
  if (loggedRuns(folder).some((run) => run.runId === runId))
    throw new CtxbError('usage', `run ${runId} belongs to ${folder}, and ${contextDir} is a copy: resume it there`);
}

function isOpen(contextDir: string, { runId, wasResumed }: LoggedRun): boolean {
  return !wasResumed && hasRunFile(contextDir, runId);
}

export function unfinishedRuns(contextDir: string, seal: Seal): LinkedRun[] {
  const open = loggedRuns(contextDir).filter((run) => isOpen(contextDir, run));
  return open.filter(({ runId }) =>
    orElse(() => mailOf(contextDir, runId, seal).prompts, []).some(({ fate }) => fate !== 'over'),
  );
}

/** Runs of one ctxb process that have no end in the journal, each with the claude process it started last. */
export function openRunsOf(contextDir: string, { pid, start }: ProcessMark) {
  return loggedRuns(contextDir).flatMap(({ runId, claude, ctxb, isOver }) => {
    const last = ctxb.at(-1);
    return isOver || claude === undefined || last?.pid !== pid || last.start !== start ? [] : [{ runId, claude }];
  });
}

/** Refuses a run that still runs. @throws CtxbError `usage` when the ctxb process of the run is active */
export function refuseRunning(runId: string, ctxb: ProcessMark | undefined): void {
  // This process itself may have started the run.
  if (ctxb === undefined || ctxb.pid === process.pid || !isCertainlyAlive(ctxb)) return;
  throw new CtxbError('usage', `run ${runId} is still active (process ${ctxb.pid}): end it first`);
}

function mailOf(contextDir: string, runId: string, seal: Seal) {
  const mail = [...readRunFile(contextDir, runId, seal)].map(parseFields);
  // Each entry holds the newest values of its members.
  const { words, folder, handedOver, resetsAt, settings, figures, spent, permissions } = Object.fromEntries(
    mail.flatMap(Object.entries),
  ) as Fields;
  return {
    words: textsOf(words),
    /** The absolute path of the context folder that the run began with. */
    folder: String(folder),
    ...readKeptPrompts(mail),
    /** Path of the newest handoff document, in the form given to the agent. */
    document: textOf(handedOver),
    /** Milliseconds since the epoch, if a usage limit with a known reset stopped the run. */
    resetsAt: countOf(resetsAt),
    // If the file exists, the seal proves that ctxb wrote it in this shape.
    settings: settings as RunSettings,
    figures: figures as KeptFigures,
    /** Spending of the run, with the time up to which it was counted. */
    spent: spent as RunSpending,
    /** The permissions that the caller set for the session. */
    permissions: fieldsOf(permissions),
  };
}

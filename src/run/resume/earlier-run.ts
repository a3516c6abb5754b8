import { join } from 'node:path';
import { countOf, type Fields, parseFields, textOf, textsOf } from '../../core/protocol/fields.ts';
import { CtxbError, orElse } from '../../errors.ts';
import { asProcessMark, isAlive, type ProcessMark } from '../../store/files/process-mark.ts';
import { readLines } from '../../store/files/read-lines.ts';
import { JOURNAL } from '../../store/runs/journal.ts';
import type { Seal } from '../../store/runs/seal.ts';
import { hasRunFile, type LinkedRun, readRunFile } from '../../store/runs/session-store.ts';
import type { SpentSoFar } from '../cost-keeper.ts';
import { readKept } from '../kept-prompts.ts';
import type { KeptFigures } from '../output/whole-results.ts';
import type { RunSettings } from './run-settings.ts';

/** An interrupted run, from the journal and its own state file. */
export interface EarlierRun extends Mail {
  readonly runId: string;
  /** Start of the run, in milliseconds since the epoch. */
  readonly since: number;
  readonly claude: ProcessMark;
  /** claude's session ids and the paths of their logs as claude's hooks reported them, oldest first. */
  readonly sessions: readonly { readonly id: string; readonly log: string | undefined }[];
}

/** State that a run recorded for the process that resumes it. */
interface Mail extends ReturnType<typeof readKept> {
  /** The program and its arguments, without prompt and session. */
  readonly words: readonly string[];
  /** Path of the newest handoff document, in the form given to the agent. */
  readonly document: string | undefined;
  /**
   * Time at which the usage limit resets that stopped the run, in milliseconds since the epoch; undefined if unknown.
   */
  readonly resetsAt: number | undefined;
  readonly settings: RunSettings;
  /** Spending of the run, with the time up to which it was counted. */
  readonly spent: SpentSoFar;
  readonly figures: KeptFigures;
}

interface FoundRun {
  readonly entries: Fields[];
  isOver: boolean;
  /** A later run has resumed this one, and may have sent its prompts. */
  isTakenUp: boolean;
}

/**
 * The newest incomplete run of a context folder, or the run whose id begins with `id`.
 *
 * @param seal verifies the run's file, because that file names the program to start
 * @throws CtxbError `usage` when no run matches, when it is still running, or when the seal is invalid
 */
export function findEarlierRun(contextDir: string, id: string | undefined, seal: Seal): EarlierRun {
  const runs = runsIn(contextDir);
  // A run that claude itself interrupted has an end in the journal; on a full disk, a complete run may have none.
  const isOpen = (runId: string, { isTakenUp }: FoundRun) => !isTakenUp && hasRunFile(contextDir, runId);
  const open = [...runs].filter(([runId, run]) => (id === undefined ? isOpen(runId, run) : runId.startsWith(id)));
  const [runId, run] = open.at(-1) ?? [];
  if (runId === undefined || run === undefined) {
    const which = id === undefined ? 'no unfinished run' : `no run whose id begins with ${id}`;
    throw new CtxbError('usage', `there is ${which} in ${contextDir}: ctxb runs --all lists your runs`);
  }
  const starts = run.entries.filter(({ kind }) => kind === 'start');
  // If several processes resume it at once, the first one gets it.
  refuseRunning(
    runId,
    starts.flatMap(({ ctxb }) => asProcessMark(ctxb) ?? []).find((mark) => mark.start !== undefined && isAlive(mark)),
  );
  const claude = asProcessMark(starts.at(-1)?.claude);
  if (claude === undefined) throw new CtxbError('usage', `run ${runId} had not begun: start a new run`);
  const sessions = run.entries.flatMap(({ kind, id: sessionId, log }) =>
    kind === 'session' && typeof sessionId === 'string' ? [{ id: sessionId, log: textOf(log) }] : [],
  );
  const since = Date.parse(textOf(run.entries[0]?.t) ?? '') || 0;
  return { runId, since, claude, sessions, ...mailOf(contextDir, runId, seal) };
}

/** Runs that have prompts without an answer, with their sessions. */
export function unfinishedRuns(contextDir: string, seal: Seal): LinkedRun[] {
  return [...runsIn(contextDir)].flatMap(([runId, { entries, isTakenUp }]) => {
    const isOpen = !isTakenUp && hasRunFile(contextDir, runId);
    const prompts = isOpen ? orElse(() => mailOf(contextDir, runId, seal).prompts, []) : [];
    if (prompts.every(({ fate }) => fate === 'over')) return [];
    return [{ runId, sessions: entries.flatMap(({ kind, id }) => (kind === 'session' ? [String(id)] : [])) }];
  });
}

/** Runs of one ctxb process that have no end in the journal, each with the claude process it started last. */
export function openRunsOf(contextDir: string, ctxb: ProcessMark): Pick<EarlierRun, 'runId' | 'claude'>[] {
  const isIts = (mark: ProcessMark | undefined) => mark?.pid === ctxb.pid && mark.start === ctxb.start;
  return [...runsIn(contextDir)].flatMap(([runId, { entries, isOver }]) => {
    const start = entries.findLast(({ kind }) => kind === 'start');
    const claude = asProcessMark(start?.claude);
    return isOver || claude === undefined || !isIts(asProcessMark(start?.ctxb)) ? [] : [{ runId, claude }];
  });
}

/** @throws CtxbError `usage` when the ctxb process of a run is still active */
export function refuseRunning(runId: string, ctxb: ProcessMark | undefined): void {
  // This process itself may have started the run.
  const isSelf = ctxb?.pid === process.pid;
  if (ctxb === undefined || ctxb.start === undefined || isSelf || !isAlive(ctxb)) return;
  throw new CtxbError('usage', `run ${runId} is still active (process ${ctxb.pid}): end it first`);
}

function runsIn(contextDir: string): Map<string, FoundRun> {
  const runs = new Map<string, FoundRun>();
  for (const line of readLines(join(contextDir, JOURNAL))) {
    const entry = parseFields(line);
    const runId = textOf(entry.runId);
    if (runId === undefined) continue;
    if (entry.kind === 'start' && !runs.has(runId)) runs.set(runId, { entries: [], isOver: false, isTakenUp: false });
    const taken = runs.get(textOf(entry.resumes) ?? '');
    if (taken !== undefined) taken.isTakenUp = true;
    const run = runs.get(runId);
    run?.entries.push(entry);
    if (run && entry.kind === 'end') run.isOver = true;
  }
  return runs;
}

function mailOf(contextDir: string, runId: string, seal: Seal): Mail {
  const mail = [...readRunFile(contextDir, runId, seal)].map(parseFields);
  const opening = mail.find((entry) => Array.isArray(entry.words)) ?? {};
  return {
    words: textsOf(opening.words),
    ...readKept(mail),
    document: textOf(mail.findLast(({ handedOver }) => typeof handedOver === 'string')?.handedOver),
    resetsAt: countOf(mail.findLast(({ resetsAt }) => resetsAt !== undefined)?.resetsAt),
    // If the file exists, the seal proves that ctxb wrote it in this shape.
    settings: opening.settings as RunSettings,
    figures: mail.findLast(({ figures }) => figures !== undefined)?.figures as KeptFigures,
    spent: mail.findLast(({ spent }) => spent !== undefined)?.spent as SpentSoFar,
  };
}

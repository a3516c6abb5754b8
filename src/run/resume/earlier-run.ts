import { join } from 'node:path';
import { countOf, type Fields, fieldsOf, isFields, parseFields, textOf, textsOf } from '../../core/protocol/fields.ts';
import { CtxbError } from '../../errors.ts';
import { asProcessMark, isAlive, type ProcessMark } from '../../store/files/process-mark.ts';
import { readLines } from '../../store/files/read-lines.ts';
import { JOURNAL } from '../../store/runs/journal.ts';
import type { Seal } from '../../store/runs/seal.ts';
import { hasRunFile, readRunFile } from '../../store/runs/session-store.ts';
import type { SpentSoFar } from '../cost-keeper.ts';
import { readKept } from '../kept-prompts.ts';
import type { ModelUsage } from '../output/whole-results.ts';
import type { RunSettings } from './run-settings.ts';

/** A run that did not complete, from the journal and its own file. */
export interface EarlierRun extends Mail {
  readonly runId: string;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  readonly claude: ProcessMark;
  /** claude's sessions and the paths of their logs as its hooks named them, oldest first. */
  readonly sessions: readonly { readonly id: string; readonly log: string | undefined }[];
}

/** What a run recorded for the process that resumes it. */
interface Mail extends ReturnType<typeof readKept> {
  /** The program and its arguments, without prompt and session. */
  readonly words: readonly string[];
  /** The newest document of a handoff, as the agent was to name it. */
  readonly document: string | undefined;
  /** When the usage limit resets that it came to, in milliseconds since the epoch; undefined: that is not known. */
  readonly resetsAt: number | undefined;
  readonly settings: RunSettings;
  /** Its spending until a moment, in milliseconds since the epoch. */
  readonly spent: SpentSoFar;
  readonly models: ModelUsage;
}

interface Seen {
  readonly entries: Fields[];
  isOver: boolean;
  /** A later run has resumed it, and may have sent its prompts. */
  isTakenUp: boolean;
}

/**
 * The newest incomplete run of a context folder, or the one whose id begins with `id`.
 *
 * @param seal of what is believed: which program is started is said by its file
 * @throws CtxbError `usage` when there is none, when it is still running, or when somebody else may have written it
 */
export function findEarlierRun(contextDir: string, id: string | undefined, seal: Seal): EarlierRun {
  const runs = runsIn(contextDir);
  // A run that claude itself broke off has an end in the journal; on a full disk a complete run may have none.
  const isOpen = (runId: string, { isTakenUp }: Seen) => !isTakenUp && hasRunFile(contextDir, runId);
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

/** Runs of one ctxb that have no end in the journal, each with the claude that it had started last. */
export function openRunsOf(contextDir: string, ctxb: ProcessMark): Pick<EarlierRun, 'runId' | 'claude'>[] {
  const isIts = (mark: ProcessMark | undefined) => mark?.pid === ctxb.pid && mark.start === ctxb.start;
  return [...runsIn(contextDir)].flatMap(([runId, { entries, isOver }]) => {
    const start = entries.findLast(({ kind }) => kind === 'start');
    const claude = asProcessMark(start?.claude);
    return isOver || claude === undefined || !isIts(asProcessMark(start?.ctxb)) ? [] : [{ runId, claude }];
  });
}

/** @throws CtxbError `usage` when the ctxb of a run is still there */
export function refuseRunning(runId: string, ctxb: ProcessMark | undefined): void {
  // This process itself may hold it.
  const isSelf = ctxb?.pid === process.pid;
  if (ctxb === undefined || ctxb.start === undefined || isSelf || !isAlive(ctxb)) return;
  throw new CtxbError('usage', `run ${runId} is still active (process ${ctxb.pid}): end it first`);
}

function runsIn(contextDir: string): Map<string, Seen> {
  const runs = new Map<string, Seen>();
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
    // The seal says that ctxb wrote them, in this shape, where there is a file at all.
    settings: opening.settings as RunSettings,
    models: fieldsOf(mail.findLast(({ models }) => isFields(models))?.models),
    spent: mail.findLast(({ spent }) => spent !== undefined)?.spent as SpentSoFar,
  };
}

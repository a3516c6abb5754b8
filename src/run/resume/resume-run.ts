import { basename, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readClaudeArguments } from '../../claude/claude-arguments.ts';
import {
  findSessionLog,
  loggedCost,
  openToolText,
  readSessionLog,
  type SessionLog,
  sessionLogsSince,
} from '../../claude/claude-log.ts';
import { type ClaudeEnd, endClaude } from '../../claude/end-claude.ts';
import { resolveKept } from '../../config/resolve-config.ts';
import type { SpentBefore } from '../../core/governor/input.ts';
import { isStamp } from '../../core/governor/prompts/prompt.ts';
import { parseHandoffFile } from '../../core/memory/handoff/handoff-file.ts';
import { CtxbError } from '../../errors.ts';
import type { Io } from '../../io.ts';
import { readPlain } from '../../store/files/plain-file.ts';
import { type ProcessMark, processMark } from '../../store/files/process-mark.ts';
import { createFaults, type Faults } from '../../store/files/store-error.ts';
import { stateFolder } from '../../store/folders/user-folders.ts';
import { ownRun } from '../../store/runs/run-lock.ts';
import { openSeal } from '../../store/runs/seal.ts';
import { createSessionStore } from '../../store/runs/session-store.ts';
import { handedAgain } from '../handoff-writer.ts';
import type { HeadlessRun, ResumedRun } from '../headless-run.ts';
import { openIn } from '../kept-prompts.ts';
import { holdSignals } from '../signals.ts';
import { type EarlierRun, findEarlierRun, openRunsOf } from './earlier-run.ts';
import type { RunSettings } from './run-settings.ts';

/** The run to continue, and its program; undefined when everything was done. */
export interface Resumption extends Pick<HeadlessRun, 'program' | 'invocation'> {
  readonly resumed: ResumedRun;
  readonly settings: RunSettings;
}

type Place = Pick<Io, 'cwd' | 'env'>;

interface ResumeOptions {
  readonly contextDir: string;
  /** Beginning of the run's id; undefined: the newest that was broken off. */
  readonly id: string | undefined;
  /** The program and its arguments as they were given now; empty: as they were then. */
  readonly words: readonly string[];
}

/**
 * Resumes a run whose ctxb has died. It ends a claude that still works alone. From journal, the run's own file and
 * claude's logs it finds which prompts were sent, and which have no answer.
 *
 * @throws CtxbError `usage` when there is nothing to take up, or when its claude cannot be ended
 */
export async function resumeRun(
  { contextDir, id, words }: ResumeOptions,
  io: Place,
  notice: (text: string) => void,
): Promise<Resumption | undefined> {
  const { run, store } = claimRun({ contextDir, id }, io, () => {});
  tellEnd(await endClaude(run.claude), run, notice);
  const logs = logsOf(run, io);
  const known = new Set(logs.flatMap(({ delivered }) => [...delivered]));
  const prompts = openIn(run.prompts, known, (uuid) => isOurs(uuid, run));
  if (prompts.length === 0) {
    store.journal({ kind: 'end', runId: run.runId });
    store.forgetRun();
    if (run.prompts.length > 0) return undefined;
    throw new CtxbError('usage', `nothing of run ${run.runId} is left to do: start a new run`);
  }
  const { models } = run;
  const isOwed = prompts.some(({ fate }) => fate === 'owed');
  const resumed = { prompts, models, spent: spentOf(run, logs), ...stateOf(run, { logs, isOwed }, io) };
  return {
    ...readWords(words.length > 0 ? words : run.words, words.length > 0 ? notice : () => {}),
    resumed,
    settings: run.settings,
  };
}

/**
 * Finds the run and locks it for the life of this process; only then reads what is left, because another process may
 * have done it.
 *
 * @throws CtxbError `usage` as {@link findEarlierRun}
 */
function claimRun(
  { contextDir, id }: Pick<ResumeOptions, 'contextDir' | 'id'>,
  { env }: Place,
  notice: (text: string) => void,
  more: object = {},
) {
  const seal = openSeal(stateFolder(env));
  const { runId } = findEarlierRun(contextDir, id, seal);
  ownRun(contextDir, runId);
  const run = findEarlierRun(contextDir, runId, seal);
  const { claude } = run;
  const store = createSessionStore(contextDir, { runId, now: Date.now, onFault: createFaults(notice) });
  store.journal({ kind: 'start', runId, claude, ctxb: processMark(process.pid), ...more });
  return { run, store };
}

/** The recorded spending, plus what claude's logs show since: claude may have worked on alone. */
function spentOf({ spent, settings }: EarlierRun, logs: readonly RunLog[]): SpentBefore {
  const { at, claimed, ...before } = spent;
  const { config } = resolveKept(settings.values, {});
  return {
    ...before,
    // claude's log has the turn to its end, so its calls are measured.
    lost: before.lost + (logs.at(-1)?.finished === true ? 0 : claimed),
    open:
      before.open +
      loggedCost(
        logs.map(({ path }) => path),
        at,
        config.cost.prices,
      ),
  };
}

type RunLog = SessionLog & { readonly id: string; readonly path: string };

/** The logs of the run's sessions, oldest first; of those that have one. */
function logsOf(run: EarlierRun, io: Place): RunLog[] {
  const named = run.sessions.flatMap(({ id, log }) => {
    const { env, cwd } = io;
    const path = findSessionLog(id, { env, cwd, transcriptPath: log });
    return path === undefined ? [] : [{ ...readSessionLog(path), id, path }];
  });
  return [...named, ...unnamedLog(run, named, io)];
}

/** The log of a session that took the last prompt, and that ctxb did not live to hear of. */
function unnamedLog({ lastSent: last, since }: EarlierRun, named: readonly RunLog[], io: Place): RunLog[] {
  if (last === undefined || named.some(({ delivered }) => delivered.has(last))) return [];
  for (const path of sessionLogsSince(since, io)) {
    const log = readSessionLog(path);
    if (log.delivered.has(last)) return [{ ...log, id: basename(path, '.jsonl'), path }];
  }
  return [];
}

/**
 * Where to continue: in the newest session with a message. If that one was left and owes no answer, in the document
 * that it was left with.
 */
function stateOf(
  { runId, prompts, document: path }: EarlierRun,
  { logs, isOwed }: { readonly logs: readonly RunLog[]; readonly isOwed: boolean },
  io: Place,
): Omit<ResumedRun, 'prompts' | 'models' | 'spent'> {
  const log = logs.findLast((one) => one.hasMessages || prompts.some(({ uuid }) => one.delivered.has(uuid)));
  const text = path === undefined ? undefined : readPlain(resolve(io.cwd, path), DOCUMENT_LIMIT);
  const { session, body } = parseHandoffFile(text ?? '');
  const isLeft = !isOwed && session === log?.id;
  if (path !== undefined && text !== undefined && (log === undefined || isLeft)) {
    const document = { path, text: handedAgain(body, path) };
    return { runId, sessionId: undefined, finished: true, openTool: undefined, document };
  }
  return {
    runId,
    sessionId: log?.id,
    finished: log?.finished ?? true,
    openTool: log && openToolText(log),
    document: undefined,
  };
}

const DOCUMENT_LIMIT = 256 * 1024;

function isOurs(uuid: string, { runId }: EarlierRun): boolean {
  return uuid.slice(0, -12) === runId.slice(0, -12) && !isStamp(uuid);
}

/** @throws CtxbError `usage` when it could not be ended */
function tellEnd(
  { kind, left }: ClaudeEnd,
  { claude, runId }: Pick<EarlierRun, 'claude' | 'runId'>,
  notice: (text: string) => void,
): void {
  const name = `the claude of run ${runId} (process ${claude.pid})`;
  if (kind === 'refused' || kind === 'unsure') {
    throw new CtxbError('usage', `${name} may still be running and cannot be ended: end it yourself, then try again`);
  }
  if (kind !== 'gone') notice(`ended ${name}, which had gone on alone`);
  if (left.length > 0) notice(`still running, started by it: ${left.map(({ pid }) => pid).join(', ')}`);
}

function readWords(
  words: readonly string[],
  notice: (text: string) => void,
): Pick<HeadlessRun, 'program' | 'invocation'> {
  const [program, ...args] = words;
  const invocation = readClaudeArguments(args);
  if (program === undefined || invocation.kind !== 'headless') {
    throw new CtxbError('usage', 'how claude was started is not known: ctxb run --resume-run -- claude [arguments]');
  }
  if (invocation.prompt !== undefined) {
    notice('the prompt next to --resume-run is not sent: the run continues with its own');
  }
  // The caller is gone: the prompts come from the mailbox.
  return { program, invocation: { ...invocation, inputFormat: 'text', prompt: undefined } };
}

/**
 * Ends every claude that a killed ctxb has left working alone, and closes their runs in the journal. The caller repeats
 * the work, so nothing is left to resume.
 *
 * @throws CtxbError `usage` when one of them cannot be ended
 */
export async function stopOrphanedRuns(
  contextDir: string,
  ctxb: ProcessMark,
  { notice, onFault }: { readonly notice: (text: string) => void; readonly onFault: Faults },
): Promise<void> {
  for (const run of openRunsOf(contextDir, ctxb)) {
    tellEnd(await endClaude(run.claude), run, notice);
    const store = createSessionStore(contextDir, { runId: run.runId, now: Date.now, onFault });
    store.journal({ kind: 'end', runId: run.runId, leftTo: 'the flow that it was a step of' });
    store.forgetRun();
  }
}

interface Told {
  readonly notice: (text: string) => void;
  /** Called before it waits, or where the time is not known. */
  readonly onWait: (runId: string, resetsAt: number | undefined) => void;
}

/** Timers stop while a machine sleeps: the clock is looked at again after this long. */
const LOOK_MS = 30_000;

/**
 * Waits until the usage limit resets at which a run has ended, where that is known and to come. Resolves with the run's id,
 * as another may have ended meanwhile, and with the signal that broke the wait off, if one did.
 *
 * @throws CtxbError `usage` as {@link findEarlierRun}
 */
export async function untilReset(
  { contextDir, id }: { readonly contextDir: string; readonly id: string | undefined },
  io: Place,
  { notice, onWait }: Told,
): Promise<{ readonly runId: string; readonly stopped: NodeJS.Signals | undefined }> {
  const { runId, resetsAt } = findEarlierRun(contextDir, id, openSeal(stateFolder(io.env)));
  if (resetsAt !== undefined && resetsAt <= Date.now()) return { runId, stopped: undefined };
  onWait(runId, resetsAt);
  if (resetsAt === undefined) return { runId, stopped: undefined };
  claimRun({ contextDir, id: runId }, io, notice, { waitsUntil: resetsAt });
  const signals = holdSignals();
  while (Date.now() < resetsAt && signals.received() === undefined) {
    // A signal breaks it off.
    await delay(Math.min(resetsAt - Date.now(), LOOK_MS), undefined, { signal: signals.stop }).catch(() => {});
  }
  signals.release();
  return { runId, stopped: signals.received() };
}

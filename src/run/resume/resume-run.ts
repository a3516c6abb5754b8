import { basename, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readClaudeArguments, refuseLauncher } from '../../claude/claude-arguments.ts';
import { findSessionLog, sessionLogsSince } from '../../claude/claude-folders.ts';
import { openToolText, readSessionLog, type SessionLog } from '../../claude/claude-log.ts';
import { type ClaudeEnd, endClaude } from '../../claude/end-claude.ts';
import { loggedCalls, loggedMicroUsd, logsBeside } from '../../claude/logged-calls.ts';
import { resolveStored } from '../../config/resolve-config.ts';
import { toUsd } from '../../core/governor/cost/cost.ts';
import type { SpentBefore } from '../../core/governor/input.ts';
import { isOwnUuid } from '../../core/governor/prompts/own-lines.ts';
import { parseHandoffFile } from '../../core/memory/handoff/handoff-file.ts';
import { CtxbError } from '../../errors.ts';
import type { CwdAndEnv } from '../../io.ts';
import { lockUnfinishedRun } from '../../store/files/lock.ts';
import { readPlain } from '../../store/files/plain-file.ts';
import { type ProcessMark, processMark } from '../../store/files/process-mark.ts';
import { createFaults, type Faults } from '../../store/files/store-error.ts';
import { stateFolder } from '../../store/folders/user-folders.ts';
import { openSeal } from '../../store/runs/seal.ts';
import { createSessionStore } from '../../store/runs/session-store.ts';
import { handoffPrompt } from '../handoff-writer.ts';
import { promptsWithoutAnswer } from '../kept-prompts.ts';
import { holdSignals } from '../signals.ts';
import { type EarlierRun, findEarlierRun, openRunsOf } from './earlier-run.ts';

export type Resumption = NonNullable<Awaited<ReturnType<typeof resumeRun>>>;

export type ResumedRun = Resumption['resumed'];

interface ResumeOptions {
  readonly contextDir: string;
  /** Beginning of the run's id; undefined: the newest interrupted run. */
  readonly id: string | undefined;
  /** The program and its arguments for the resumed run; empty: those of the interrupted run. */
  readonly words: readonly string[];
}

/**
 * Resumes a run whose ctxb process has died. First ends a claude process that is still working. Finds out from the
 * journal, the run's own file and claude's logs which prompts were sent, and which have no answer.
 *
 * @returns undefined when everything was done
 * @throws CtxbError `usage` when nothing is left to resume, or when the claude process cannot be ended
 */
export async function resumeRun(
  { contextDir, id, words }: ResumeOptions,
  io: CwdAndEnv,
  notice: (text: string) => void,
) {
  const { run, store } = claimRun({ contextDir, id }, io, () => {});
  tellEnd(await endClaude(run.claude), run, notice);
  const logs = logsOf(run, io);
  const known = new Set(logs.flatMap(({ delivered }) => [...delivered]));
  // The ids of ctxb's own prompts contain the run's id; a caller's prompt without an id has a stamp.
  const prompts = promptsWithoutAnswer(run.prompts, known, (uuid) => isOwnUuid({ run }, uuid));
  if (prompts.length === 0) {
    store.journal({ kind: 'end', runId: run.runId });
    store.forgetRun();
    if (run.prompts.length > 0) return undefined;
    throw new CtxbError('usage', `nothing of run ${run.runId} is left to do: start a new run`);
  }
  const isOwed = prompts.some(({ fate }) => fate === 'owed');
  const paths = logs.flatMap(({ path }) => logsBeside(path));
  const spent = spentOf(run, paths, logs.at(-1)?.finished);
  const usd = toUsd(spent.settled + spent.open);
  const figures = { ...run.figures, calls: loggedCalls(paths, run.figures.at), at: Date.now(), usd };
  return {
    ...(words.length > 0 ? readWords(words, notice) : readWords(run.words, () => {})),
    resumed: {
      /** The prompts without an answer: `waiting` if claude has not received them, else `owed`. */
      prompts,
      figures,
      /** The run's cost so far, and the limits that the user has raised. */
      spent,
      permissions: run.permissions,
      ...stateOf(run, { logs, isOwed }, io),
    },
    settings: run.settings,
  };
}

/**
 * Finds the run and locks it for the life of this process. Reads its state only after that, because another process may
 * have resumed it.
 *
 * @throws CtxbError `usage` as {@link findEarlierRun}
 */
function claimRun(
  { contextDir, id }: Pick<ResumeOptions, 'contextDir' | 'id'>,
  { env }: CwdAndEnv,
  notice: (text: string) => void,
  more: object = {},
) {
  const seal = openSeal(stateFolder(env));
  const { runId } = findEarlierRun(contextDir, id, seal);
  lockUnfinishedRun(contextDir, runId);
  const run = findEarlierRun(contextDir, runId, seal);
  const { claude } = run;
  const store = createSessionStore(contextDir, runId, createFaults(notice));
  store.journal({ kind: 'start', runId, claude, ctxb: processMark(process.pid), ...more });
  return { run, store };
}

/** The recorded spending, plus later calls in claude's logs: claude may have continued without ctxb. */
function spentOf({ spent, settings }: EarlierRun, paths: readonly string[], isFinished = false): SpentBefore {
  const { at, computed, claimed, ...before } = spent;
  const { config } = resolveStored(settings.values, {});
  const logged = loggedMicroUsd(loggedCalls(paths, at), config.cost.prices);
  return {
    ...before,
    // If the log contains the end of the turn, it also contains the cost of all claimed calls.
    lost: before.lost + (isFinished ? 0 : claimed),
    open: before.open + Math.max(0, logged - computed),
  };
}

type RunLog = SessionLog & { readonly id: string; readonly path: string };

/** Oldest first. */
function logsOf(run: EarlierRun, io: CwdAndEnv): RunLog[] {
  const named = run.sessions.flatMap(({ id, log }) => {
    const path = findSessionLog({ id, transcript: log }, io);
    return path === undefined ? [] : [{ ...readSessionLog(path), id, path }];
  });
  return [...named, ...unnamedLog(run, named, io)];
}

/** The log of a session that received the last prompt, but whose id ctxb did not learn before it died. */
function unnamedLog({ lastSent: last, since }: EarlierRun, named: readonly RunLog[], io: CwdAndEnv): RunLog[] {
  if (last === undefined || named.some(({ delivered }) => delivered.has(last))) return [];
  for (const path of sessionLogsSince(since, io)) {
    const log = readSessionLog(path);
    if (log.delivered.has(last)) return [{ ...log, id: basename(path, '.jsonl'), path }];
  }
  return [];
}

/**
 * Where to continue: in the newest session with a message. In a fresh session with the handoff document, if ctxb had
 * left that session with it and no answer is owed.
 */
function stateOf(
  { runId, prompts, document: path }: EarlierRun,
  { logs, isOwed }: { readonly logs: readonly RunLog[]; readonly isOwed: boolean },
  io: CwdAndEnv,
) {
  const log = logs.findLast((log) => log.hasMessages || prompts.some(({ uuid }) => log.delivered.has(uuid)));
  const text = path === undefined ? undefined : readPlain(resolve(io.cwd, path), DOCUMENT_LIMIT);
  const { session, body } = parseHandoffFile(text ?? '');
  const isAbandoned = !isOwed && session === log?.id;
  const isFresh = path !== undefined && text !== undefined && (log === undefined || isAbandoned);
  const continued = isFresh ? undefined : log;
  return {
    runId,
    /** claude's session to resume; undefined if no session has a message. */
    sessionId: continued?.id,
    finished: continued?.finished ?? true,
    /** A short description of a tool call without a result. */
    openTool: continued && openToolText(continued),
    /** The handoff document that a fresh session begins with. */
    document: isFresh ? { path, text: handoffPrompt(body, path) } : undefined,
  };
}

const DOCUMENT_LIMIT = 256 * 1024;

/** Reports how the claude process ended. @throws CtxbError `usage` when it could not be ended */
function tellEnd(
  { kind, left }: ClaudeEnd,
  { claude, runId }: Pick<EarlierRun, 'claude' | 'runId'>,
  notice: (text: string) => void,
): void {
  const name = `the claude of run ${runId} (process ${claude.pid})`;
  if (kind === 'refused' || kind === 'unsure') {
    throw new CtxbError('usage', `${name} may still be running and cannot be ended: end it yourself, then try again`);
  }
  if (kind !== 'gone') notice(`ended ${name}, which had continued alone`);
  if (left.length > 0) notice(`still running, started by it: ${left.map(({ pid }) => pid).join(', ')}`);
}

function readWords(words: readonly string[], notice: (text: string) => void) {
  refuseLauncher(words);
  const [program, ...args] = words;
  const invocation = readClaudeArguments(args);
  if (program === undefined || invocation.kind !== 'headless') {
    throw new CtxbError(
      'usage',
      'the command that started claude is unknown: ctxb run --resume-run -- claude [arguments]',
    );
  }
  if (invocation.prompt !== undefined) {
    notice('the prompt next to --resume-run is not sent: the run continues with its own');
  }
  // The caller is gone, so the prompts come from the state file.
  return { program, invocation: { ...invocation, inputFormat: 'text' as const, prompt: undefined } };
}

/**
 * Ends every claude process that a killed ctxb has left running, and closes their runs in the journal. The caller
 * repeats the work, so nothing is left to resume.
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
    const store = createSessionStore(contextDir, run.runId, onFault);
    store.journal({ kind: 'end', runId: run.runId, leftTo: 'the flow that it was a step of' });
    store.forgetRun();
  }
}

interface ResumeWatcher {
  readonly notice: (text: string) => void;
  /** Called before the wait, or if the reset time is unknown. */
  readonly onWait: (runId: string, resetsAt: number | undefined) => void;
}

/** Milliseconds between checks of the clock, because timers stop while a machine sleeps. */
const POLL_MS = 30_000;

/**
 * Waits for the reset of the usage limit that stopped a run, if its time is known and in the future. Resolves with the
 * run's id, because another run may have ended meanwhile, and with the signal that interrupted the wait, if any.
 *
 * @throws CtxbError `usage` as {@link findEarlierRun}
 */
export async function untilReset(
  { contextDir, id }: { readonly contextDir: string; readonly id: string | undefined },
  io: CwdAndEnv,
  { notice, onWait }: ResumeWatcher,
) {
  const { runId, resetsAt } = findEarlierRun(contextDir, id, openSeal(stateFolder(io.env)));
  if (resetsAt !== undefined && resetsAt <= Date.now()) return { runId, stopped: undefined };
  onWait(runId, resetsAt);
  if (resetsAt === undefined) return { runId, stopped: undefined };
  claimRun({ contextDir, id: runId }, io, notice, { waitsUntil: resetsAt });
  const signals = holdSignals();
  while (Date.now() < resetsAt && signals.received() === undefined) {
    // A signal ends the wait.
    await delay(Math.min(resetsAt - Date.now(), POLL_MS), undefined, { signal: signals.stop }).catch(() => {});
  }
  signals.release();
  return { runId, stopped: signals.received() };
}

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Child, forOwnChild, runUntouched, startChild } from '../claude/child.ts';
import {
  childArguments,
  type HeadlessInvocation,
  NO_THOUGHTS_ENV,
  successorArguments,
  withNamedWorktree,
} from '../claude/claude-arguments.ts';
import type { Environment, Io } from '../io.ts';
import { checkFolder } from '../store/folders/context-dir.ts';
import { INBOX_VARIABLE, inboxPath } from '../store/runs/inbox.ts';
import type { StartClaude } from './executor.ts';
import {
  budgetArguments,
  contextFolder,
  costPlace,
  type HeadlessRun,
  isAttended,
  RUN_VARIABLE,
  type Watcher,
  waitVariables,
} from './headless-run.ts';
import { checkPrompts, type PromptText, promptText, watchUnreadStdin } from './prompt-text.ts';
import { type SignalWatch, watchSignals } from './signals.ts';

/**
 * Runs claude to its end. Resolves with the exit code for the caller.
 * Before claude's start it does only what the caller must wait for. It loads the rest while claude starts, which takes
 * far longer.
 *
 * @param watch called once, when there is something to show
 * @throws CtxbError `store` when ctxb did not make the context folder, and as {@link checkPrompts}, {@link promptText}
 * and {@link startChild}
 */
export async function runHeadless(given: HeadlessRun, io: Io, watch: () => Promise<Watcher>): Promise<number> {
  const runId = randomUUID();
  const invocation = withNamedWorktree(given.invocation, `ctxb-${runId.slice(0, 8)}`);
  const headless = { ...given, invocation };
  let watcher: Promise<Watcher> | undefined;
  const watching = () => {
    watcher ??= watch();
    return watcher;
  };
  const notice = async (text: string) => (await watching()).notice(text);
  for (const remark of [...checkFolder(contextFolder(headless, io)), ...ignoredIn(invocation)]) await notice(remark);
  checkPrompts(headless);
  const runAsClaude = (stdin: string) => runUntouched(headless.program, invocation.written, io, stdin);
  const ask = () => promptText(headless, io, notice);
  const isPrompted = Boolean(invocation.prompt?.trim());
  const knownPrompt: PromptText = isPrompted ? { text: invocation.prompt } : await ask();
  if (knownPrompt.refused !== undefined) {
    await watching();
    return runAsClaude(knownPrompt.refused);
  }
  const summary =
    headless.summary === undefined
      ? undefined
      : (await import('./run-summary.ts')).createRunSummary(resolve(io.cwd, headless.summary));
  const record =
    headless.record === undefined
      ? undefined
      : (await import('./run-files.ts')).openRecordFile(headless.record, headless.maskRecord === true);
  const inputOf = async ({ text }: PromptText) =>
    (await import('./caller-input.ts')).callerInput(headless, runId, io.stdin, text);
  // Reports an unreadable file before claude starts.
  const known = headless.promptsFile === undefined ? undefined : await inputOf(knownPrompt);
  const claude = claudeOf(headless, io, runId);
  let child: Child | undefined;
  const signals = watchSignals({
    interrupt: () => child?.kill('SIGINT'),
    kill: (signal) => child?.kill(signal),
  });
  try {
    const refuseUnread = watchUnreadStdin(headless, io, notice);
    // The writer of stdin may be slow: if the arguments contain a prompt, claude starts meanwhile.
    const pipedPrompt = isPrompted ? ask() : undefined;
    // The promise is awaited below, unless claude cannot be started.
    pipedPrompt?.catch(() => {});
    const started = await claude.start();
    child = started;
    const { conductSession } = await import('./conduct.ts');
    const whole = pipedPrompt && (await readWhile(headless, pipedPrompt, started, signals));
    if (whole?.refused !== undefined) {
      signals.stop();
      started.kill('SIGTERM');
      return await runAsClaude(whole.refused);
    }
    // The writer of stdin must not wait, because no claude will read the prompt.
    if (pipedPrompt !== undefined && whole === undefined) io.stdin.destroy();
    const input = known ?? (await inputOf(whole ?? knownPrompt));
    const { startSuccessor } = claude;
    const ends = { runId, io, child: started, signals, input, record, summary, startSuccessor };
    const shown = await watching();
    await refuseUnread();
    return await conductSession(headless, { ...ends, watcher: shown });
  } catch (error) {
    signals.stop();
    // Without this, claude and the reader of stdin would wait for prompts for ever.
    child?.kill('SIGTERM');
    io.stdin.destroy();
    throw error;
  } finally {
    (await watcher)?.clear();
  }
}

function claudeOf(headless: HeadlessRun, io: Io, runId: string) {
  const { program, invocation, config, resumed } = headless;
  const env = childEnvironment(headless, io, runId);
  // A limit that the user raised before the interruption still applies, even if no user is present now.
  const { run = config.cost.limitUsd, project = config.cost.projectLimitUsd } = resumed?.spent.raised ?? {};
  const cost = { ...config.cost, limitUsd: run, projectLimitUsd: project };
  const first = resumed ? successorArguments(invocation, resumed.sessionId) : childArguments(invocation);
  const { settled, open, lost } = resumed?.spent ?? { settled: 0, open: 0, lost: 0 };
  const before = (settled + open + lost) / 1_000_000;
  const planned = async (args: readonly string[], spentUsd: number, folder = io.cwd) => {
    const spentByProject = !config.observe && project !== undefined ? await projectUsd(headless, io) : 0;
    const spent = { run: spentUsd, project: spentByProject };
    const own = { limit: Number(invocation.maxBudgetUsd), spent: spentUsd - before };
    const limits = config.observe ? [] : budgetArguments(cost, isAttended(invocation, io), spent, own);
    return { command: program, args: [...args, ...limits], cwd: existsSync(`${folder}/.`) ? folder : io.cwd, env };
  };
  const startWith = async (...how: Parameters<typeof planned>) => startChild(await planned(...how));
  return {
    planned: () => planned(first, before),
    start: () => startWith(first, before),
    startSuccessor: ({ resume, isFirst, folder }: StartClaude, spentUsd: number) =>
      startWith(isFirst ? first : successorArguments(invocation, resume), spentUsd, folder),
  };
}

export function planStart(headless: HeadlessRun, io: Io) {
  return claudeOf(headless, io, randomUUID()).planned();
}

/** The cost of all runs of the project in the current period, in US dollars. @throws CtxbError `store` */
async function projectUsd(headless: HeadlessRun, io: Io): Promise<number> {
  const { openCostLedger } = await import('../store/ledgers/cost-ledger.ts');
  const { period } = headless.config.cost;
  return openCostLedger(costPlace(headless, io), { now: Date.now, runId: '', period }).spentByOthers() / 1_000_000;
}

/** Reads piped text for claude's prompt while claude runs; undefined if claude has ended without a successor. */
async function readWhile(
  headless: HeadlessRun,
  pipedPrompt: Promise<PromptText>,
  { ended }: Child,
  { first }: SignalWatch,
): Promise<PromptText | undefined> {
  const { shouldReplace } = await import('./conduct.ts');
  // A signal has no claude process to end then, so it ends the wait for the prompt.
  const endedEarly = ended.then((end) => (shouldReplace(headless, end) ? first : undefined));
  return Promise.race([pipedPrompt, endedEarly.then(() => undefined)]);
}

/** The user's environment, plus the variables by which ctxb's commands find this run. */
function childEnvironment(headless: HeadlessRun, io: Io, runId: string): Environment {
  const display = headless.invocation.hidesThoughts ? NO_THOUGHTS_ENV : {};
  const env = { ...forOwnChild(io.env), ...display, ...waitVariables(headless, io), [RUN_VARIABLE]: runId };
  if (!headless.config.memory.enabled) return env;
  return { ...env, [INBOX_VARIABLE]: inboxPath(contextFolder(headless, io), runId) };
}

function ignoredIn({ ignoredPrompt, ignoredWords, sessionPersistence }: HeadlessInvocation): string[] {
  return [
    ...(ignoredPrompt === undefined
      ? []
      : [`with --input-format stream-json the prompt "${ignoredPrompt}" is ignored: send it as a line on stdin`]),
    ...(sessionPersistence
      ? []
      : ['with --no-session-persistence claude keeps no log: if it dies, the work cannot be continued']),
    ...(ignoredWords.length === 0
      ? []
      : [`only the first word is the prompt; ignored: ${ignoredWords.join(' ')} (quote the prompt)`]),
  ];
}

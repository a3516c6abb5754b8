import { randomUUID } from 'node:crypto';
import { type Child, forOwnChild, runUntouched, startChild } from '../claude/child.ts';
import {
  childArguments,
  type HeadlessInvocation,
  NO_THOUGHTS_ENV,
  successorArguments,
} from '../claude/claude-arguments.ts';
import type { Io } from '../io.ts';
import { checkFolder } from '../store/folders/context-dir.ts';
import { INBOX_VARIABLE, inboxPath } from '../store/runs/inbox.ts';
import type { StartClaude } from './executor.ts';
import {
  budgetArguments,
  contextFolder,
  type HeadlessRun,
  isAttended,
  outageSeconds,
  RUN_VARIABLE,
  type Watcher,
} from './headless-run.ts';
import { promptText } from './prompt-text.ts';
import { watchSignals } from './signals.ts';

/**
 * Runs it to its end. Resolves with the exit code for the caller.
 *
 * What comes before claude's start is what the caller waits for: everything else is loaded while claude starts, which takes
 * far longer.
 *
 * @param watch called once, when there is something to tell
 * @throws CtxbError `store` when the context folder is not ctxb's, and as {@link promptText} and {@link startChild}
 */
export async function runHeadless(headless: HeadlessRun, io: Io, watch: () => Promise<Watcher>): Promise<number> {
  const { program, invocation, config, resumed } = headless;
  let watcher: Promise<Watcher> | undefined;
  const watching = () => {
    watcher ??= watch();
    return watcher;
  };
  const notice = async (text: string) => (await watching()).notice(text);
  for (const remark of [...checkFolder(contextFolder(headless, io)), ...ignoredIn(invocation)]) await notice(remark);
  const runId = randomUUID();
  const text = await promptText(headless, io, notice);
  if (typeof text === 'object') {
    await watching();
    return runUntouched(program, invocation.written, io, text.piped);
  }
  const record =
    headless.record === undefined ? undefined : (await import('./run-files.ts')).openRecordFile(headless.record);
  const inputOf = async () => (await import('./caller-input.ts')).callerInput(headless, runId, io.stdin, text);
  // A file that cannot be read is told of before claude starts.
  const known = headless.promptsFile === undefined ? undefined : await inputOf();
  const env = childEnvironment(headless, io, runId);
  const start = (args: readonly string[]) => startChild({ command: program, args, cwd: io.cwd, env });
  const limits = (spentUsd: number) =>
    config.observe || invocation.maxBudgetUsd !== undefined
      ? []
      : budgetArguments(config.cost, isAttended(headless, io), spentUsd);
  const first = resumed ? successorArguments(invocation, resumed.sessionId) : childArguments(invocation);
  let child: Child | undefined;
  const early = watchSignals({
    interrupt: () => child?.kill('SIGINT'),
    kill: (signal) => child?.kill(signal),
  });
  try {
    child = await start([...first, ...limits(resumed ? (resumed.spent.settled + resumed.spent.open) / 1_000_000 : 0)]);
    const { conduct, beginRun } = await import('./conduct.ts');
    const startSuccessor = ({ resume, isFirst }: StartClaude, spentUsd: number) =>
      start([...(isFirst ? first : successorArguments(invocation, resume)), ...limits(spentUsd)]);
    const input = known ?? (await inputOf());
    const begun = await beginRun(headless, { runId, io, input, watcher: await watching() });
    return await conduct(headless, { ...begun, io, child, early, input, record, startSuccessor });
  } catch (error) {
    early.stop();
    // Without this it would wait for prompts forever, and ctxb for it.
    child?.kill('SIGTERM');
    throw error;
  } finally {
    (await watcher)?.clear();
  }
}

/** The user's own, and how ctxb's commands know this run and reach it. */
function childEnvironment(headless: HeadlessRun, io: Io, runId: string): Io['env'] {
  const display = headless.invocation.hidesThoughts ? NO_THOUGHTS_ENV : {};
  const env = { ...forOwnChild(io.env), ...display, ...waitVariables(headless, io), [RUN_VARIABLE]: runId };
  if (!headless.config.memory.enabled) return env;
  return { ...env, [INBOX_VARIABLE]: inboxPath(contextFolder(headless, io), runId) };
}

/** claude's own ten tries, in milliseconds: what it does without being told. */
const USUAL_TRIES_MS = 180_000;

/**
 * claude itself waits for a usage limit to reset, where it is told to: then nothing has to be repeated, and subagents
 * wait too. Variables that the user has set stay.
 */
function waitVariables({ config, ...headless }: HeadlessRun, { env }: Io): Io['env'] {
  const { wait } = config.limits;
  if (wait === 0 || config.observe || env.CLAUDE_CODE_RETRY_WATCHDOG !== undefined) return {};
  const outageMs = outageSeconds({ config, ...headless }) * 1000;
  return {
    CLAUDE_CODE_RETRY_WATCHDOG: '1',
    CLAUDE_CODE_RETRY_WATCHDOG_MAX_USAGE_LIMIT_WAIT_MS: String(wait * 1000),
    CLAUDE_CODE_RETRY_WATCHDOG_MAX_WAIT_MS: String(outageMs || USUAL_TRIES_MS),
  };
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

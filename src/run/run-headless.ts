import { randomUUID } from 'node:crypto';
import { type Child, forOwnChild, runUntouched, startChild } from '../claude/child.ts';
import {
  childArguments,
  type HeadlessInvocation,
  NO_THOUGHTS_ENV,
  successorArguments,
} from '../claude/claude-arguments.ts';
import { runCostUsd, toUsd } from '../core/governor/cost/cost.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { Io } from '../io.ts';
import { checkFolder } from '../store/folders/context-dir.ts';
import { INBOX_VARIABLE, inboxPath } from '../store/runs/inbox.ts';
import { wantsTelemetry } from '../telemetry/destinations.ts';
import { callerInput, createStamp, fixedPrompts } from './caller-input.ts';
import {
  budgetArguments,
  contextFolder,
  describeRun,
  type HeadlessRun,
  outageSeconds,
  RUN_VARIABLE,
  type Watcher,
} from './describe-run.ts';
import type { StartClaude } from './executor.ts';
import { watchSignals } from './signals.ts';

/**
 * Runs it to its end. Resolves with the exit code for the caller.
 *
 * @throws CtxbError `store` when the context folder is not ctxb's, and as {@link callerInput} and {@link startChild}
 */
export async function runHeadless(headless: HeadlessRun, io: Io, watcher: Watcher): Promise<number> {
  const { program, invocation } = headless;
  for (const remark of checkFolder(contextFolder(headless, io))) watcher.notice(remark);
  noticeIgnored(invocation, watcher);
  const runId = randomUUID();
  const { resumed } = headless;
  const input = resumed
    ? fixedPrompts(resumed.lines)
    : await callerInput(headless, io, createStamp(runId), watcher.notice);
  if ('piped' in input) return runUntouched(program, invocation.written, io, input.piped);
  const record =
    headless.record === undefined ? undefined : (await import('./run-files.ts')).openRecordFile(headless.record);
  const env = childEnvironment(headless, io, runId);
  const start = (args: readonly string[]) => startChild({ command: program, args, cwd: io.cwd, env });
  const run = { ...describeRun(headless, runId, io), singlePrompt: input.lines?.length === 1 };
  const limits = (spentUsd: number) =>
    run.mode === 'act' && invocation.maxBudgetUsd === undefined
      ? budgetArguments(headless.config.cost, run.attended, spentUsd)
      : [];
  const first = resumed ? successorArguments(invocation, resumed.sessionId) : childArguments(invocation);
  const opening = telemetryOf(headless, runId, io, watcher);
  let child: Child | undefined;
  const early = watchSignals({
    interrupt: () => child?.kill('SIGINT'),
    kill: (signal) => child?.kill(signal),
  });
  try {
    child = await start([...first, ...limits(resumed ? toUsd(resumed.spent.settled + resumed.spent.open) : 0)]);
    // Loaded while claude starts, which takes far longer: what comes before the start is what the caller waits for.
    const { conduct } = await import('./conduct.ts');
    const telemetry = await opening;
    const startSuccessor = ({ resume, isFirst }: StartClaude, state: GovernorState) =>
      start([...(isFirst ? first : successorArguments(invocation, resume)), ...limits(runCostUsd(state))]);
    return await conduct(headless, { run, io, child, early, input, record, watcher, telemetry, startSuccessor });
  } catch (error) {
    early.stop();
    // Without this it would wait for prompts forever, and ctxb for it.
    child?.kill('SIGTERM');
    throw error;
  }
}

async function telemetryOf({ otlp }: HeadlessRun, runId: string, io: Io, { notice }: Watcher) {
  if (!wantsTelemetry(otlp, io.env)) return undefined;
  const { openTelemetry } = await import('../telemetry/telemetry.ts');
  return openTelemetry({ otlp, runId, now: Date.now, notice }, io);
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

function noticeIgnored(invocation: HeadlessInvocation, { notice }: Watcher): void {
  const { ignoredPrompt, ignoredWords } = invocation;
  if (ignoredPrompt !== undefined) {
    notice(`with --input-format stream-json the prompt "${ignoredPrompt}" is ignored: send it as a line on stdin`);
  }
  if (!invocation.sessionPersistence) {
    notice('with --no-session-persistence claude keeps no log: if it dies, the work cannot be continued');
  }
  if (ignoredWords.length > 0) {
    notice(`only the first word is the prompt; ignored: ${ignoredWords.join(' ')} (quote the prompt)`);
  }
}

import { randomUUID } from 'node:crypto';
import type { Io } from '../io.ts';
import { inboxPath } from '../store/inbox-path.ts';
import { callerInput } from './caller-input.ts';
import { startChild } from './child.ts';
import { childArguments, type HeadlessInvocation } from './claude-arguments.ts';
import { contextFolder, type HeadlessRun } from './headless-run.ts';
import { INBOX_VARIABLE } from './inbox-variable.ts';
import { createStamp } from './prompts.ts';
import { openRecordFile } from './record-file.ts';
import type { Watcher } from './watcher.ts';

/**
 * Runs it to its end. Resolves with the exit code for the caller.
 *
 * @throws CtxbError `usage` when there is no prompt, `command-not-found` and `command-failed` as {@link startChild}
 */
export async function runHeadless(headless: HeadlessRun, io: Io, watcher: Watcher): Promise<number> {
  const { program, invocation } = headless;
  noticeIgnored(invocation, watcher);
  const runId = randomUUID();
  const input = await callerInput(headless, io, createStamp(runId), watcher.notice);
  const record = headless.record === undefined ? undefined : openRecordFile(headless.record);
  const env = childEnvironment(headless, io, runId);
  const child = await startChild({ command: program, args: childArguments(invocation), cwd: io.cwd, env });
  // Loaded while claude starts, which takes far longer: what comes before the start is what the caller waits for.
  const { conduct } = await import('./conduct.ts');
  return conduct(headless, { runId, io, child, input, record, watcher });
}

/** The user's own, and where ctxb's commands reach this run. */
function childEnvironment(headless: HeadlessRun, io: Io, runId: string): Io['env'] {
  if (!headless.config.memory.enabled) return io.env;
  return { ...io.env, [INBOX_VARIABLE]: inboxPath(contextFolder(headless, io), runId) };
}

function noticeIgnored(invocation: HeadlessInvocation, { notice }: Watcher): void {
  const { ignoredPrompt, ignoredWords } = invocation;
  if (ignoredPrompt !== undefined) {
    notice(`with --input-format stream-json the prompt "${ignoredPrompt}" is ignored: send it as a line on stdin`);
  }
  if (ignoredWords.length > 0) {
    notice(`only the first word is the prompt; ignored: ${ignoredWords.join(' ')} (quote the prompt)`);
  }
}

import { isAbsolute, join } from 'node:path';
import split2 from 'split2';
import type { Config } from '../config/config.ts';
import type { HookName } from '../governor/actions.ts';
import type { Run } from '../governor/state.ts';
import type { Io } from '../io.ts';
import { decisionText, isRoutine } from '../messages.ts';
import { createSessionStore } from '../store/session-store.ts';
import { callerInput } from './caller-input.ts';
import { type Child, startChild } from './child.ts';
import { childArguments, type HeadlessInvocation } from './claude-arguments.ts';
import { exitCodeOf } from './exit-code.ts';
import { createOutlet } from './outlet.ts';
import { createOutput } from './output.ts';
import { createRecorder } from './recorder.ts';
import { newRunId, startSession } from './run-session.ts';
import { watchSignals } from './signals.ts';
import { createTerminal, type Terminal } from './terminal.ts';

/** A headless claude under ctxb. */
export interface HeadlessRun {
  readonly program: string;
  readonly invocation: HeadlessInvocation;
  readonly config: Config;
  /** Prompts from `--prompt`, a turn each. */
  readonly prompts: readonly string[] | undefined;
  readonly promptsFile: string | undefined;
  /** File for the record. */
  readonly record: string | undefined;
  /** Work to be done before a hook of ours is answered. It may throw or be late: claude does not wait for it. */
  readonly beforeHook?: (hook: HookName) => void | Promise<void>;
}

/** Runs it to its end. Resolves with the exit code for the caller. */
export async function runHeadless(headless: HeadlessRun, io: Io): Promise<number> {
  const { program, invocation, config } = headless;
  const terminal = createTerminal({ stderr: io.stderr, env: io.env, quiet: config.quiet, statusLine: config.statusLine });
  noticeIgnored(invocation, terminal);
  const input = await callerInput(headless, io, terminal.notice);
  const run = describeRun(headless, io);
  const recorder = headless.record === undefined ? undefined : createRecorder(headless.record, run, Date.now);
  const child = await startChild({ command: program, args: childArguments(invocation), cwd: io.cwd, env: io.env });
  relayStderr(child, terminal);
  const contextDir = isAbsolute(config.contextDir) ? config.contextDir : join(io.cwd, config.contextDir);
  const store = createSessionStore(contextDir, Date.now, terminal.notice);
  store.journal({ kind: 'start', pid: child.pid, runId: run.runId, mode: run.mode });

  const outlet = createOutlet(io.stdout, () => child.kill('SIGTERM'), terminal.clear);
  const output = createOutput({ format: invocation.outputFormat, verbose: invocation.verbose }, outlet);
  const session = startSession(run, {
    child,
    output,
    input,
    recorder,
    store,
    now: Date.now,
    onState: terminal.status,
    onDecision: (decision) => {
      if (!isRoutine(decision)) terminal.notice(decisionText(decision));
    },
    onPrompt: output.promptSent,
    onFault: terminal.notice,
    beforeHook: headless.beforeHook ?? (() => {}),
    hookTimeoutMs: config.hooks.watchdogSeconds * 1000,
  });
  const signals = watchSignals(child, config.observe ? () => child.kill('SIGINT') : session.interrupt);
  const end = await session.ended;
  await output.finish();
  signals.stop();
  recorder?.close();
  terminal.clear();
  const exitCode = exitCodeOf(end, output.lastResult, signals.received(), outlet.isGone);
  store.journal({ kind: 'end', exitCode, ...end });
  return exitCode;
}

function describeRun({ invocation, config }: HeadlessRun, io: Io): Run {
  return {
    policy: config,
    mode: config.observe ? 'observe' : 'act',
    runId: newRunId(),
    contextDir: config.contextDir,
    resumes: invocation.resumes,
    callerSpeaksProtocol: invocation.inputFormat === 'stream-json',
    showInjected: config.showInjected,
    callerPlacedTrigger: Boolean(io.env.CLAUDE_CODE_AUTO_COMPACT_WINDOW || io.env.DISABLE_AUTO_COMPACT),
  };
}

function noticeIgnored(invocation: HeadlessInvocation, terminal: Terminal): void {
  const { ignoredPrompt, ignoredWords } = invocation;
  if (ignoredPrompt !== undefined) {
    terminal.notice(`with --input-format stream-json the prompt "${ignoredPrompt}" is ignored: send it as a line on stdin`);
  }
  if (ignoredWords.length > 0) {
    terminal.notice(`only the first word is the prompt; ignored: ${ignoredWords.join(' ')} (quote the prompt)`);
  }
}

function relayStderr(child: Child, terminal: Terminal): void {
  child.stderr.pipe(split2()).on('data', (line: string) => terminal.relay(line));
}

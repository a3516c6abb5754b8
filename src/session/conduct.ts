import { join } from 'node:path';
import split2 from 'split2';
import type { Run } from '../governor/state.ts';
import type { Io } from '../io.ts';
import { createSessionStore } from '../store/session-store.ts';
import type { Child } from './child.ts';
import { exitCodeOf } from './exit-code.ts';
import { createFaults } from './faults.ts';
import { contextFolder, type HeadlessRun } from './headless-run.ts';
import { openInbox, openNotes } from './open-notes.ts';
import { createOutlet } from './outlet.ts';
import { createOutput } from './output.ts';
import type { CallerInput } from './prompts.ts';
import type { RecordFile } from './record-file.ts';
import { createRecorder } from './recorder.ts';
import { startSession } from './run-session.ts';
import { watchSignals } from './signals.ts';
import type { Watcher } from './watcher.ts';

/** The ends that a session is connected to. */
export interface Ends {
  /** A UUID; ids of lines that ctxb writes or stamps derive from it. */
  readonly runId: string;
  readonly io: Io;
  readonly child: Child;
  readonly input: CallerInput;
  readonly record: RecordFile | undefined;
  readonly watcher: Watcher;
}

/** Connects claude, the caller and the files, and sees the session through. Resolves with the exit code. */
export async function conduct(
  headless: HeadlessRun,
  { runId, io, child, input, record, watcher }: Ends,
): Promise<number> {
  const { invocation, config } = headless;
  const faults = createFaults(watcher.notice);
  const run = describeRun(headless, runId, io);
  const store = createSessionStore(contextFolder(headless, io), Date.now, faults);
  const inbox = openInbox(headless, io, runId, faults);
  const notes = inbox && openNotes(headless, io, run, inbox, { onFault: faults, notice: watcher.notice });
  store.journal({ kind: 'start', pid: child.pid, runId: run.runId, mode: run.mode });
  const recorder = record && createRecorder(record, run, Date.now, watcher.notice);
  child.stderr.pipe(split2()).on('data', watcher.relay);

  const onGone = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') watcher.notice(`stdout cannot be written: ${error.message}`);
    child.kill('SIGTERM');
  };
  const outlet = createOutlet(io.stdout, onGone, watcher.clear);
  const output = createOutput({ format: invocation.outputFormat, verbose: invocation.verbose }, outlet);
  const session = startSession(run, {
    child,
    output,
    input,
    recorder,
    notes,
    store,
    now: Date.now,
    onState: watcher.status,
    onDecision: watcher.decision,
    onPrompt: output.promptSent,
    onFault: watcher.notice,
    beforeHook: headless.beforeHook ?? (() => {}),
    hookTimeoutMs: config.hooks.watchdogSeconds * 1000,
  });
  const signals = watchSignals(child, config.observe ? () => child.kill('SIGINT') : session.interrupt);
  const end = await session.ended;
  await output.finish();
  signals.stop();
  recorder?.close();
  watcher.clear();
  watcher.ended(session.state());
  const exitCode = exitCodeOf(end, output.lastResult, signals.received(), outlet.isGone);
  store.journal({ kind: 'end', exitCode, ...end });
  return exitCode;
}

function describeRun({ invocation, config }: HeadlessRun, runId: string, io: Io): Run {
  return {
    policy: config,
    mode: config.observe ? 'observe' : 'act',
    runId,
    contextDir: join(config.contextDir, '.'),
    resumes: invocation.resumes,
    callerSpeaksProtocol: invocation.inputFormat === 'stream-json',
    showInjected: config.showInjected,
    callerPlacedTrigger: Boolean(io.env.CLAUDE_CODE_AUTO_COMPACT_WINDOW || io.env.DISABLE_AUTO_COMPACT),
  };
}

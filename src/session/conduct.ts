import split2 from 'split2';
import type { GovernorState, Run } from '../governor/state.ts';
import type { Io } from '../io.ts';
import { createMemory } from '../memory/memory.ts';
import { processMark } from '../store/process-mark.ts';
import { redact } from '../store/redact.ts';
import { createSessionStore } from '../store/session-store.ts';
import { decodeLine } from '../stream/decode.ts';
import { askForLimit } from './ask-person.ts';
import type { Child } from './child.ts';
import { type CostKeeper, createCostKeeper } from './cost-keeper.ts';
import type { StartClaude } from './executor.ts';
import { exitCodeOf } from './exit-code.ts';
import { createFaults, type Faults } from './faults.ts';
import { createHandoffWriter } from './handoff-writer.ts';
import { contextFolder, type HeadlessRun } from './headless-run.ts';
import { readLoggedState } from './logged-state.ts';
import { openInbox, openNotes } from './open-notes.ts';
import { createOutlet } from './outlet.ts';
import { createOutput } from './output.ts';
import type { CallerInput } from './prompts.ts';
import type { RecordFile } from './record-file.ts';
import { createRecorder } from './recorder.ts';
import { startSession } from './run-session.ts';
import { watchSignals } from './signals.ts';
import { createToolFiles } from './tool-files.ts';
import type { Watcher } from './watcher.ts';

/** The ends that a session is connected to. */
export interface Ends {
  readonly run: Run;
  readonly io: Io;
  readonly child: Child;
  readonly input: CallerInput;
  readonly record: RecordFile | undefined;
  readonly watcher: Watcher;
  /** Starts a claude in the place of one that has ended. */
  readonly startSuccessor: (start: StartClaude, state: GovernorState) => Promise<Child>;
}

/** Connects claude, the caller and the files, and sees the session through. Resolves with the exit code. */
export async function conduct(
  headless: HeadlessRun,
  { run, io, child, input, record, watcher, startSuccessor }: Ends,
): Promise<number> {
  const { invocation, config, resumed } = headless;
  const faults = createFaults(watcher.notice);
  const { runId } = run;
  const store = createSessionStore(contextFolder(headless, io), { runId, now: Date.now, onFault: faults });
  const inbox = openInbox(headless, io, runId, faults);
  const memory = createMemory({ run, mask: redact });
  const notes = inbox && openNotes(headless, io, { run, memory, inbox }, { onFault: faults, notice: watcher.notice });
  const costs = keepCosts(headless, run, contextFolder(headless, io), faults);
  const recorder = record && createRecorder(record, run, Date.now, watcher.notice);
  const asking = new AbortController();
  function begin({ pid, stderr }: Child): void {
    stderr.pipe(split2()).on('data', watcher.relay);
    const marks = { claude: processMark(pid), ctxb: processMark(process.pid) };
    store.journal({ kind: 'start', pid, ...marks, runId, mode: run.mode });
  }
  begin(child);
  store.run({ words: startWords(headless), prompts: input.lines ?? [], owed: resumed?.answers ?? [] });
  if (resumed?.sessionId !== undefined) store.journal({ kind: 'session', runId, id: resumed.sessionId });

  const onGone = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') watcher.notice(`stdout cannot be written: ${error.message}`);
    session.kill('SIGTERM');
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
    writeHandoff: createHandoffWriter({
      memory,
      cwd: io.cwd,
      home: io.env.HOME,
      root: contextFolder(headless, io),
      contextDir: run.contextDir,
      now: Date.now,
      onFault: faults,
    }),
    toolFiles: createToolFiles({ folder: contextFolder(headless, io), onFault: faults }),
    costs,
    resumed,
    onSession: (id, log) => store.journal({ kind: 'session', runId, id, log }),
    // Behind the line that is being judged, which may still have to be shown.
    reply: (line) =>
      queueMicrotask(() => {
        const bytes = Buffer.from(`${line}\n`);
        output.bytes(bytes);
        output.event(decodeLine(line), bytes);
      }),
    async askPerson(effect) {
      // The status line is drawn once more for the step that asks, and would stand where the answer goes.
      await Promise.resolve();
      watcher.clear();
      return askForLimit(effect, io, asking.signal);
    },
    startNext: async (start, state) => {
      const next = await startSuccessor(start, state);
      begin(next);
      return next;
    },
    readLog: (state) => readLoggedState(state, io),
    beforeHook: headless.beforeHook ?? (() => {}),
    hookTimeoutMs: config.hooks.watchdogSeconds * 1000,
  });
  // Only now is everything of it in this run's own file.
  if (resumed !== undefined) {
    store.journal({ kind: 'end', runId: resumed.runId, resumedBy: runId });
    store.forgetRun(resumed.runId);
  }
  const interrupt = config.observe ? () => session.kill('SIGINT') : session.interrupt;
  const signals = watchSignals({
    interrupt() {
      asking.abort();
      interrupt();
    },
    kill(signal) {
      asking.abort();
      session.kill(signal);
    },
  });
  const end = await session.ended;
  await output.finish();
  signals.stop();
  recorder?.close();
  watcher.clear();
  watcher.ended(session.state());
  const exitCode = exitCodeOf(end, {
    lastResult: output.lastResult,
    received: signals.received(),
    readerGone: outlet.isGone,
    outcome: session.state().outcome,
  });
  if (isDone(session.state())) store.forgetRun();
  store.journal({ kind: 'end', runId, exitCode, ...end });
  return exitCode;
}

function keepCosts(
  { config }: HeadlessRun,
  { runId, mode }: Run,
  folder: string,
  onFault: Faults,
): CostKeeper | undefined {
  if (mode !== 'act') return undefined;
  const { projectLimitUsd, period } = config.cost;
  return createCostKeeper({ folder, runId, period, isLimited: projectLimitUsd !== undefined, now: Date.now, onFault });
}

/** How claude is started, without prompt and session: for whoever has to take up the run. */
function startWords({ program, invocation }: HeadlessRun): string[] {
  const { passedAgain, outputFormat, verbose } = invocation;
  const format = ['-p', '--output-format', outputFormat, ...(verbose ? ['--verbose'] : [])];
  return [program, ...format, ...passedAgain];
}

/** Nothing that was said waits for an answer. */
function isDone({ mailbox, turn, relief }: GovernorState): boolean {
  return mailbox.waiting.length === 0 && turn.phase === 'idle' && relief.unfinished === undefined;
}

import { join } from 'node:path';
import { type Child, type ChildEnd, signalExitCode } from '../claude/child.ts';
import { wasEndedByUser } from '../core/governor/process/process.ts';
import { openPrompts, waiting } from '../core/governor/prompts/mailbox.ts';
import { OUTCOME_CODES, UNANSWERED_CODE } from '../core/governor/run-status.ts';
import type { GovernorState, Run } from '../core/governor/state.ts';
import type { ResultEvent } from '../core/protocol/events.ts';
import { linesOfStream } from '../core/protocol/frame.ts';
import { tryOrReport } from '../store/files/store-error.ts';
import { openTelemetry } from '../telemetry/telemetry.ts';
import { createDialog, type Dialog } from './ask-person.ts';
import { type HeadlessRun, isAttended, outageSeconds, type Watcher } from './headless-run.ts';
import { createOutlet, type Outlet } from './output/outlet.ts';
import { createOutput } from './output/output.ts';
import { openRunFiles, type RecordFile, recordProcess, recordRunStart } from './run-files.ts';
import { type RunConnections, type Session, startSession } from './run-session.ts';
import type { RunSummary } from './run-summary.ts';
import type { SignalWatch } from './signals.ts';

interface RunEnds extends RunConnections {
  readonly runId: string;
  readonly signals: SignalWatch;
  readonly record: RecordFile | undefined;
  readonly summary?: RunSummary | undefined;
}

/** Connects claude, the caller and the files until the session ends. Resolves with the exit code. */
export async function conductSession(headless: HeadlessRun, ends: RunEnds): Promise<number> {
  const { invocation, resumed, otlp } = headless;
  const { runId, io, child, signals, input, record, summary, watcher } = ends;
  const run = describeRun(headless, ends);
  const telemetry = await openTelemetry(otlp, runId, watcher.notice, io);
  const files = openRunFiles(headless, { run, io, record, notice: watcher.notice });
  const { store, recorder } = files;
  void listen(child, watcher);
  recordRunStart(files, headless, run, child, input.lines);

  let isUnwritable = false;
  const onGone = (error: NodeJS.ErrnoException) => {
    // Like claude, ctxb continues the work without a reader.
    if (error.code === 'EPIPE') return;
    isUnwritable = true;
    // The error ends the run, so it is printed even with --quiet.
    watcher.relay(`ctxb: stdout cannot be written: ${error.message}`);
    session.kill('SIGTERM');
  };
  const outlet = createOutlet(io.stdout, onGone, watcher.clear);
  const output = createOutput({ format: invocation.outputFormat, verbose: invocation.verbose }, outlet);
  const dialog = createDialog(io, watcher.ask);
  const startSuccessor: RunConnections['startSuccessor'] = async (start, spentUsd) => {
    const next = await ends.startSuccessor(start, spentUsd);
    void listen(next, watcher);
    recordProcess(store, run, next);
    return next;
  };
  const gone = new AbortController();
  void child.ended.then(() => gone.abort());
  const admit = async () => files.costs?.admit(gone.signal);
  const opening = files.costs?.opening();
  const spent = (input.lines && (await admit())) ?? opening;
  const about = { ...ends, startSuccessor, run, output, telemetry, spent, admit, ask: dialog.ask };
  const session = startSession(headless, about, files);
  if (resumed !== undefined && store.isWhole()) {
    // From here on, this run's own file has the state of the whole run.
    store.journal({ kind: 'end', runId: resumed.runId, resumedBy: runId });
    store.forgetRun(resumed.runId);
  }
  passSignals(signals, session, dialog, outlet);
  const signalled = signals.received();
  // An early signal is already ending claude, so no other process may start.
  if (signalled !== undefined) session.kill(signalled);
  signals.endOn(headless.stop);
  const end = await session.ended;
  await output.finish();
  signals.stop();
  recorder?.close();
  watcher.clear();
  const state = session.state();
  watcher.ended(state, { record: headless.record, isResumable: store.isWhole() });
  // The exit code of a claude that hung after its last answer comes from that answer.
  const exitCode = exitCodeOf(state.process.isHung ? { code: 0, signal: undefined } : end, {
    lastResult: output.lastResult,
    isUnsaved: output.isUnsaved,
    received: signals.received(),
    isUnwritable,
    outcome: state.mailbox.outcome,
    isUndone: isUndone(state, end),
    isUnsent: waiting(state).length > 0,
  });
  if (isDone(state)) for (const id of [runId, resumed?.runId]) store.forgetRun(id);
  store.journal({ kind: 'end', runId, exitCode, ...end });
  session.noteEnd(exitCode);
  tryOrReport(files.faults, 'the summary is not written', () => summary?.(state, exitCode, session.seen));
  await telemetry?.close();
  return exitCode;
}

/** Whether to replace a claude that ended before its first prompt. */
export function shouldReplace({ config, invocation }: HeadlessRun, end: ChildEnd): boolean {
  const { observe, recovery } = config;
  if (observe || !recovery.enabled || recovery.maxRestarts === 0 || !invocation.sessionPersistence) return false;
  // A claude that exits by itself, without a session yet, was started with wrong arguments.
  return end.signal !== undefined && !wasEndedByUser(end);
}

/**
 * Passes signals to the session. If claude has to be killed, the cause may be a reader that does not read. It would
 * also delay the end of ctxb.
 */
function passSignals(signals: SignalWatch, session: Session, dialog: Dialog, outlet: Outlet): void {
  signals.handOver({
    interrupt() {
      dialog.cancel();
      session.interrupt();
    },
    isStuck: () => outlet.isBlocked,
    kill(signal) {
      dialog.cancel();
      session.kill(signal);
      if (signal === 'SIGKILL') outlet.giveUp();
    },
  });
}

function isDone(state: GovernorState): boolean {
  return state.turn.phase === 'idle' && openPrompts(state).length === 0;
}

/** A longer line of stderr is relayed as several. */
const STDERR_LINE_BYTES = 1024 * 1024;

async function listen({ stderr }: Child, { relay }: Watcher): Promise<void> {
  for await (const line of linesOfStream(stderr, STDERR_LINE_BYTES)) relay(line.toString().replace(/\r?\n$/, ''));
}

interface Verdict {
  readonly lastResult: ResultEvent | undefined;
  readonly isUnsaved: boolean;
  readonly received: NodeJS.Signals | undefined;
  /** Whether stdout failed although it had a reader. */
  readonly isUnwritable: boolean;
  readonly outcome: GovernorState['mailbox']['outcome'];
  readonly isUndone: boolean;
  readonly isUnsent: boolean;
}

/**
 * Whether prompts without an answer make the run a failure. Not for callers that speak the control protocol, such as
 * the Agent SDK: they interrupt turns on purpose and read each result. Not for a claude that exited with an error
 * before it had a session: it has already named the problem.
 */
function isUndone(state: GovernorState, { code }: ChildEnd): boolean {
  const { run, process, session } = state;
  const isExpected = process.control.initialize !== undefined || (code !== 0 && session.id === undefined);
  return run.mode === 'act' && !isExpected && openPrompts(state).length > 0;
}

/**
 * The exit code for the caller: the signal that ended the run, or else claude's own code. If claude's code follows from
 * its last result (0 or 1), the last *visible* result decides instead. A hidden turn after an error would otherwise
 * turn 1 into 0.
 */
export function exitCodeOf(
  end: ChildEnd,
  { lastResult, isUnsaved, received, isUnwritable, outcome, isUndone, isUnsent }: Verdict,
): number {
  if (received !== undefined) return signalExitCode(received);
  // Like claude's exit code when the disk of its stdout is full.
  if (isUnwritable) return 1;
  if (outcome === 'asked' && isUndone) return UNANSWERED_CODE;
  if (outcome !== undefined && outcome !== 'asked') return OUTCOME_CODES[outcome];
  if (end.signal !== undefined) return signalExitCode(end.signal);
  const code = end.code ?? 1;
  if (code > 1) return code;
  const resultCode = lastResult === undefined ? code : Number(lastResult.isError || isUnsaved);
  // An error result concerns only its own prompt.
  return isUndone && (resultCode === 0 || isUnsent) ? UNANSWERED_CODE : resultCode;
}

/** Variables with which the caller sets or disables claude's own compaction. */
const TRIGGER_VARIABLES = [
  'CLAUDE_CODE_AUTO_COMPACT_WINDOW',
  'CLAUDE_AUTOCOMPACT_PCT_OVERRIDE',
  'DISABLE_AUTO_COMPACT',
];

function describeRun(headless: HeadlessRun, { runId, io, input }: RunEnds): Run {
  const { invocation, config, resumed } = headless;
  const levelPercent = Number(io.env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE);
  return {
    policy: { ...config, limits: { ...config.limits, outageWait: outageSeconds(headless) } },
    mode: config.observe ? 'observe' : 'act',
    runId,
    contextDir: join(config.contextDir, '.'),
    resumes: invocation.resumes || resumed?.sessionId !== undefined,
    callerSpeaksProtocol: invocation.inputFormat === 'stream-json',
    showInjected: headless.showInjected === true,
    callerPlacedTrigger: TRIGGER_VARIABLES.some((name) => Boolean(io.env[name])),
    ...(levelPercent > 0 && { levelPercent }),
    project: io.cwd,
    answersInSchema: invocation.jsonSchema,
    hasOwnBudget: invocation.maxBudgetUsd !== undefined,
    hasMaxTurns: (invocation.maxTurns ?? io.env.CLAUDE_CODE_MAX_TURNS) !== undefined,
    // If the caller speaks the protocol, claude accepts any agent.
    ...(invocation.agent && invocation.inputFormat === 'text' ? { agent: invocation.agent } : {}),
    exact: config.compaction.how !== 'summary',
    withoutHooks: invocation.bare,
    withoutRetries: Number(io.env.CLAUDE_CODE_MAX_RETRIES || 1) === 0,
    persistent: invocation.sessionPersistence,
    attended: isAttended(invocation, io),
    singlePrompt: input.lines?.length === 1,
  };
}

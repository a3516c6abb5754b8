import type { GovernorState } from '../governor/state.ts';
import { createQuestions, type Questions } from './ask-person.ts';
import { exitCodeOf } from './exit-code.ts';
import type { HeadlessRun } from './headless-run.ts';
import { createOutlet } from './outlet.ts';
import { createOutput } from './output.ts';
import { noteBeginning, openRunFiles } from './run-files.ts';
import { type Session, startSession } from './run-session.ts';
import { type Ends, listen, sessionWorld } from './session-world.ts';
import { type SignalWatch, watchSignals } from './signals.ts';

/** Connects claude, the caller and the files, and sees the session through. Resolves with the exit code. */
export async function conduct(headless: HeadlessRun, ends: Ends): Promise<number> {
  const { invocation, resumed } = headless;
  const { run, io, child, early, input, record, watcher } = ends;
  const files = openRunFiles(headless, { run, io, record, notice: watcher.notice });
  const { store, recorder } = files;
  listen(child, watcher);
  noteBeginning(files, headless, run, child, input.lines ?? []);

  let isUnwritable = false;
  const onGone = (error: NodeJS.ErrnoException) => {
    // As claude does: where nobody reads any more, the work is still wanted.
    if (error.code === 'EPIPE') return;
    isUnwritable = true;
    watcher.notice(`stdout cannot be written: ${error.message}`);
    session.kill('SIGTERM');
  };
  const outlet = createOutlet(io.stdout, onGone, watcher.clear);
  const output = createOutput({ format: invocation.outputFormat, verbose: invocation.verbose }, outlet);
  const questions = createQuestions(io, watcher);
  const session = startSession(
    run,
    sessionWorld(headless, ends, files, { output, ask: questions.ask, onGoOn: () => signals.rearm() }),
  );
  if (resumed !== undefined) {
    // Only now is everything of it in this run's own file.
    store.journal({ kind: 'end', runId: resumed.runId, resumedBy: run.runId });
    store.forgetRun(resumed.runId);
  }
  const signals = passSignals(session, questions, headless.config.observe);
  // What has begun to end claude sees it through.
  if (early.received() === undefined) early.stop();
  const stopping = stopOn(headless.stop, session, headless.config.observe);
  const end = await session.ended;
  stopping.clear();
  await output.finish();
  signals.stop();
  early.stop();
  recorder?.close();
  watcher.clear();
  const state = session.state();
  watcher.ended(state);
  const exitCode = exitCodeOf(end, {
    lastResult: output.lastResult,
    received: early.received() ?? signals.received(),
    isUnwritable,
    outcome: state.outcome,
  });
  // What was ended on purpose is not to be taken up again.
  if (isDone(state) || headless.stop?.aborted) store.forgetRun();
  store.journal({ kind: 'end', runId: run.runId, exitCode, ...end });
  await ends.telemetry?.close(state, exitCode);
  return exitCode;
}

/** Signals of ours are claude's; a question to the person is over with the first. */
function passSignals(session: Session, questions: Questions, observe: boolean): SignalWatch {
  const interrupt = observe ? () => session.kill('SIGINT') : session.interrupt;
  return watchSignals({
    interrupt() {
      questions.takeBack();
      interrupt();
    },
    kill(signal) {
      questions.takeBack();
      session.kill(signal);
    },
  });
}

/** How long a claude may take to stop its turn, and then over its end. */
const INTERRUPT_PATIENCE_MS = 2_000;
const STOP_PATIENCE_MS = 5_000;

/**
 * Ends claude when the run is to end at once, by force where it does not end by itself. Its turn is interrupted first:
 * claude 2.1.197 leaves the command that it has just started behind when it gets SIGTERM.
 */
function stopOn(stop: AbortSignal | undefined, session: Session, observe: boolean): { clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const after = (ms: number, signal: NodeJS.Signals, then = () => {}) => {
    timer = setTimeout(() => {
      session.kill(signal);
      then();
    }, ms);
  };
  const end = () => {
    if (observe) session.kill('SIGINT');
    else session.interrupt();
    after(INTERRUPT_PATIENCE_MS, 'SIGTERM', () => after(STOP_PATIENCE_MS, 'SIGKILL'));
  };
  if (stop?.aborted) end();
  stop?.addEventListener('abort', end);
  return {
    clear() {
      clearTimeout(timer);
      stop?.removeEventListener('abort', end);
    },
  };
}

/** Nothing that was said waits for an answer. */
function isDone({ mailbox, turn, relief }: GovernorState): boolean {
  return mailbox.waiting.length === 0 && turn.phase === 'idle' && relief.unfinished === undefined;
}

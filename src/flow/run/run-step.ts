import { PassThrough, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Config } from '../../config/config.ts';
import { costUsd } from '../../governor/cost/cost.ts';
import type { GovernorState } from '../../governor/state.ts';
import type { Io } from '../../io.ts';
import type { HeadlessInvocation } from '../../session/claude-arguments.ts';
import { runHeadless } from '../../session/run-headless.ts';
import type { Watcher } from '../../session/watcher.ts';
import { decodeLine } from '../../stream/decode.ts';
import { createFramer } from '../../stream/frame.ts';

/** How a step is run: a claude in a fresh session under all of ctxb's policies. */
export interface StepRun {
  readonly program: string;
  readonly invocation: HeadlessInvocation;
  readonly config: Config;
  readonly prompt: string;
  /** As in a run of its own. */
  readonly otlp?: string | undefined;
  /** undefined: as long as it takes. */
  readonly timeoutSeconds: number | undefined;
  /** The flow itself is to end. */
  readonly stop: AbortSignal;
}

/** Where what a step says goes while it runs. */
export interface StepSinks {
  /** claude's stdout, in stream-json. It is left open. */
  readonly stream: Writable;
  readonly watcher: Watcher;
}

/** What became of one attempt. */
export interface StepEnd {
  readonly exitCode: number;
  readonly timedOut: boolean;
  /** The last answer; empty when there was none. */
  readonly output: string;
  readonly error: string | undefined;
  readonly sessionId: string | undefined;
  /** Main thread: largest context of a call, and calls. */
  readonly peakTokens: number;
  readonly calls: number;
  /** Context of the first call: system prompt, tools and the pack. */
  readonly firstTokens: number;
  readonly costUsd: number;
  readonly durationMs: number;
}

/** @param now milliseconds, of any clock that only goes forward */
export async function runStep(run: StepRun, io: Io, sinks: StepSinks, now: () => number): Promise<StepEnd> {
  const begun = now();
  const answer = createAnswerReader();
  let state: GovernorState | undefined;
  let peak = 0;
  const stdout = new PassThrough();
  stdout.pipe(sinks.stream, { end: false });
  const lines = stdout.pipe(createLineSink(answer.line));
  const limit = createTimeLimit(run);
  const watcher: Watcher = {
    ...sinks.watcher,
    decision(decision) {
      // A step whose time is over is interrupted by nobody's Ctrl-C.
      if (!(limit.isOver() && decision.kind === 'interrupt')) sinks.watcher.decision(decision);
    },
    status(now) {
      // What claude is asked before its first call is an estimate of its own.
      if (now.gauge.basis === 'measured') peak = Math.max(peak, now.gauge.used);
      sinks.watcher.status(now);
    },
    ended(last) {
      state = last;
      sinks.watcher.ended(last);
    },
  };
  const { program, invocation, config, prompt, otlp } = run;
  const headless = {
    program,
    invocation,
    config,
    prompts: [prompt],
    promptsFile: undefined,
    record: undefined,
    otlp,
    stop: limit.signal,
  };
  try {
    const exitCode = await runHeadless(headless, { ...io, stdin: new PassThrough().end(), stdout }, watcher);
    // The stream may be slow, and holds the lines back as well: the answer can still be among them.
    stdout.end();
    await finished(lines);
    return {
      ...outcomeOf({
        exitCode,
        timedOutAfter: limit.isOver() ? run.timeoutSeconds : undefined,
        stopped: run.stop.aborted,
        last: answer.last(),
      }),
      sessionId: state?.session.id,
      peakTokens: peak,
      firstTokens: state?.gauge.first ?? 0,
      calls: state?.gauge.calls ?? 0,
      costUsd: state === undefined ? 0 : costUsd(state),
      durationMs: now() - begun,
    };
  } finally {
    limit.clear();
  }
}

/** What `timeout` of the core utilities ends with. */
const EXIT_TIMEOUT = 124;

/** Ends with the flow, or when the step's time is over. */
function createTimeLimit({ timeoutSeconds, stop }: StepRun) {
  const controller = new AbortController();
  let over = false;
  const end = () => controller.abort();
  const timer =
    timeoutSeconds === undefined
      ? undefined
      : setTimeout(() => {
          over = true;
          end();
        }, timeoutSeconds * 1_000);
  if (stop.aborted) end();
  stop.addEventListener('abort', end);
  return {
    signal: controller.signal,
    isOver: () => over,
    clear() {
      clearTimeout(timer);
      stop.removeEventListener('abort', end);
    },
  };
}

interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

function outcomeOf({
  exitCode,
  timedOutAfter,
  stopped,
  last,
}: {
  readonly exitCode: number;
  readonly timedOutAfter: number | undefined;
  readonly stopped: boolean;
  readonly last: Answer | undefined;
}): Pick<StepEnd, 'exitCode' | 'timedOut' | 'output' | 'error'> {
  const timedOut = timedOutAfter !== undefined;
  const output = last === undefined || last.isError ? '' : last.text;
  if (timedOut) return { exitCode: EXIT_TIMEOUT, timedOut, output, error: `not done after ${timedOutAfter} s` };
  // Whoever interrupts claude itself gets an exit code of 0 and no result.
  if (exitCode === 0 && last === undefined) {
    return { exitCode: 1, timedOut, output, error: 'claude has ended without an answer' };
  }
  if (exitCode === 0) return { exitCode, timedOut, output, error: undefined };
  // What claude says of an interrupted turn is no help to anyone.
  if (stopped) return { exitCode, timedOut, output, error: `ended with the flow (exit code ${exitCode})` };
  return { exitCode, timedOut, output, error: last?.isError && last.text ? last.text : `exit code ${exitCode}` };
}

/** The text of the last result; undefined where there was none. */
function createAnswerReader() {
  let last: Answer | undefined;
  return {
    line(line: string) {
      const event = decodeLine(line);
      if (event.kind === 'result') last = { text: event.text ?? event.errors.join('\n'), isError: event.isError };
    },
    last: () => last,
  };
}

/** Hands every line on without its end, however the bytes come. What `onLine` throws ends the stream. */
export function createLineSink(onLine: (line: string) => void): Writable {
  const framer = createFramer();
  const take = (line: Buffer) => onLine(line.toString('utf8').replace(/\r?\n$/, ''));
  return new Writable({
    write(chunk: Buffer, _, done) {
      attempt(() => framer.push(chunk).forEach(take), done);
    },
    final(done) {
      const rest = framer.flush();
      attempt(() => rest && take(rest), done);
    },
  });
}

function attempt(work: () => void, done: (error?: Error) => void): void {
  try {
    work();
    done();
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
  }
}

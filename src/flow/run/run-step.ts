import { PassThrough, type Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import split2 from 'split2';
import { signalExitCode } from '../../claude/child.ts';
import {
  type HeadlessInvocation,
  optionArguments,
  readClaudeArguments,
  refuseLauncher,
  withNamedWorktree,
} from '../../claude/claude-arguments.ts';
import type { Config } from '../../config/config.ts';
import { costUsd } from '../../core/governor/cost/cost.ts';
import { windowOfModel } from '../../core/governor/gauge/window.ts';
import { UNANSWERED_CODE } from '../../core/governor/run-status.ts';
import { decodeLine } from '../../core/protocol/decode.ts';
import { CtxbError } from '../../errors.ts';
import type { Io } from '../../io.ts';
import { presentLines } from '../../report/layout.ts';
import type { Watcher } from '../../run/headless-run.ts';
import { runHeadless } from '../../run/run-headless.ts';
import { timeoutSignal } from '../../run/signals.ts';

export interface StepRun {
  readonly program: string;
  readonly invocation: HeadlessInvocation;
  readonly config: Config;
  readonly prompt: string;
  readonly timeoutSeconds: number | undefined;
  readonly stop: AbortSignal;
}

/** Receives the reports of a step's session. The session has no terminal of its own. */
export type StepWatcher = Pick<Watcher, 'notice' | 'decision' | 'relay'>;

export type StepEnd = Readonly<Awaited<ReturnType<typeof runStep>>>;

/** Figures of the main thread; the first call contains system prompt, tools and the briefing. */
const NO_FIGURES = {
  first_tokens: 0,
  peak_tokens: 0,
  calls: 0,
  cost_usd: 0,
  duration_ms: 0,
  session_id: null as string | null,
};

/** The end of a step that the flow stopped before its claude started. */
export const NOT_STARTED = {
  exit_code: signalExitCode('SIGINT'),
  error: 'stopped before it had begun',
  ...NO_FIGURES,
};

/** Runs claude for a step. @param onLine receives each line of claude's stdout, in stream-json, without line break */
export async function runStep(run: StepRun, io: Io, watch: Partial<StepWatcher>, onLine?: (text: string) => void) {
  const startedAt = performance.now();
  let last: Answer | undefined;
  let figures = NO_FIGURES;
  let first_tokens = 0;
  const stdout = createLineSink((line) => {
    last = answerIn(line) ?? last;
    onLine?.(line);
  });
  const { prompt, timeoutSeconds, stop, ...claude } = run;
  const timeout = timeoutSeconds === undefined ? undefined : timeoutSignal(timeoutSeconds * 1_000);
  const isOver = () => timeout?.aborted === true;
  const watcher: Watcher = {
    notice() {},
    relay() {},
    clear() {},
    ask: async () => undefined,
    ...watch,
    decision(decision) {
      // The time limit caused this interrupt; the watcher would mistake it for a Ctrl-C.
      if (!(isOver() && decision.kind === 'interrupt')) watch.decision?.(decision);
    },
    status({ gauge }) {
      first_tokens ||= gauge.peak;
    },
    ended(state) {
      const { gauge, session } = state;
      const { peak, calls } = gauge;
      figures = { ...figures, peak_tokens: peak, calls, cost_usd: costUsd(state), session_id: session.id ?? null };
    },
  };
  const headless = {
    ...claude,
    prompts: [prompt],
    stop: timeout === undefined ? stop : AbortSignal.any([stop, timeout]),
  };
  const exitCode = await runHeadless(headless, { ...io, stdin: new PassThrough().end(), stdout }, async () => watcher);
  await finished(stdout.end());
  const end = isOver()
    ? { exit_code: EXIT_TIMEOUT, error: `not done after ${timeoutSeconds} s` }
    : { exit_code: exitCode, error: errorOf(exitCode, last, stop.aborted) };
  const duration_ms = Math.round(performance.now() - startedAt);
  return {
    output: last === undefined || last.isError ? '' : last.text,
    measured: { ...end, ...figures, first_tokens, duration_ms },
  };
}

type Answer = NonNullable<ReturnType<typeof answerIn>>;

function answerIn(line: string) {
  const event = decodeLine(line);
  if (event.kind !== 'result') return undefined;
  return { text: event.text ?? event.errors.join('\n'), isError: event.isError };
}

/** The exit code of `timeout` in GNU coreutils. */
const EXIT_TIMEOUT = 124;

function errorOf(exitCode: number, last: Answer | undefined, stopped: boolean): string | undefined {
  if (exitCode === 0) return undefined;
  // claude's error message for an interrupted turn is misleading.
  if (stopped) return `ended with the flow (exit code ${exitCode})`;
  if (exitCode === UNANSWERED_CODE && last === undefined) return 'claude has ended without an answer';
  return last?.isError && last.text ? last.text : `exit code ${exitCode}`;
}

/** Calls `onLine` for each line, without line break. An exception destroys the stream. */
export function createLineSink(onLine: (line: string) => void): Writable {
  // Read and drop the output, or the stream would stop.
  return split2((line: string) => void onLine(line)).resume();
}

/**
 * Reads claude's arguments for the steps. @throws CtxbError `usage` if they set what the flow sets, or start no
 * headless run
 */
export function readStepClaude(words: readonly string[], model: string | undefined) {
  refuseLauncher(words);
  const [program = 'claude', ...args] = words;
  const invocation = readClaudeArguments([
    '-p',
    '--output-format',
    'stream-json',
    '--verbose',
    ...args,
    ...optionArguments('--model', model),
  ]);
  if (invocation.kind !== 'headless') {
    const reason =
      invocation.kind === 'untouched'
        ? invocation.reason
        : `write ${invocation.option}=…, so that it is clear what "${invocation.candidate}" belongs to`;
    throw new CtxbError('usage', `this form of claude does not work in a flow: ${reason}`);
  }
  refuseFlowOptions(invocation);
  return { program, invocation, window: windowOfModel(invocation.model) };
}

function refuseFlowOptions(invocation: HeadlessInvocation): void {
  const { prompt, namesSession, passed, inputFormat, outputFormat } = invocation;
  const isUnnamedWorktree = withNamedWorktree(invocation, '').passed.length > passed.length;
  const wrong = presentLines(
    prompt !== undefined && `the prompt "${prompt}"`,
    namesSession && 'the session',
    isUnnamedWorktree && 'the worktree (or give it a name)',
    (inputFormat !== 'text' || outputFormat !== 'stream-json') && 'the format',
  );
  if (wrong.length === 0) return;
  throw new CtxbError('usage', `leave ${wrong.join(' and ')} out: in a flow, each step has its own`);
}

import { type HeadlessInvocation, readClaudeArguments } from '../../claude/claude-arguments.ts';
import type { Config } from '../../config/config.ts';
import { LONG_LINE_LENGTH, oneLine } from '../../core/memory/words.ts';
import { CtxbError, messageOf } from '../../errors.ts';
import type { Io } from '../../io.ts';
import type { Watcher } from '../../run/headless-run.ts';
import { fileInside } from '../file/flow-files.ts';
import type { Curator } from '../flow.ts';
import type { TaughtStep } from '../pack/frame.ts';
import type { CuratedChoice } from '../pack/receipt.ts';
import type { PackItem } from '../pack/step-block.ts';
import { runStep, type StepEnd } from '../run/run-step.ts';
import { ANSWER_JSON_SCHEMA, type CheckedAnswer, checkAnswer, readAnswer } from './curator-answer.ts';
import { curatorPrompt } from './curator-prompt.ts';

/** How a curator is run. */
export interface CurateOptions {
  readonly curator: Curator;
  readonly program: string;
  /** The flow's; `curate` switches off what a curator must not do. */
  readonly config: Config;
  /** The user's `--settings` for claude. */
  readonly settings: string | undefined;
  /** Aborted when the flow is to end. */
  readonly stop: AbortSignal;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** US dollars. Default: 0.05; a smaller limit of the config holds as well. */
  readonly limitUsd?: number;
}

/** The result of a curator, for the pack and for the receipt. */
export interface Curation {
  /** undefined: the mechanical selection holds. */
  readonly choice: CuratedChoice | undefined;
  readonly costUsd: number;
  readonly durationMs: number;
  /** Why there is no choice, or which part of the answer was not taken. */
  readonly fault: string | undefined;
}

/** Enough for some dozen tool calls of a cheap model. */
const LIMIT_USD = 0.05;

/**
 * Asks a cheap claude that can only read which files and earlier steps matter to a step. Never rejects: after any
 * fault the step runs with the mechanical selection.
 *
 * @param history oldest first
 */
export async function curate(
  step: TaughtStep,
  history: readonly PackItem[],
  options: CurateOptions,
  io: Io,
): Promise<Curation> {
  const begun = options.now();
  try {
    const { end, lastError } = await ask(curatorPrompt(step, history, placeOf(options, io)), options, io);
    const { costUsd, durationMs } = end;
    if (end.exitCode !== 0) return { choice: undefined, costUsd, durationMs, fault: endFault(end, lastError) };
    return { ...judge(end.output, history, options, io), costUsd, durationMs };
  } catch (error) {
    const fault = told(messageOf(error));
    return { choice: undefined, costUsd: 0, durationMs: options.now() - begun, fault };
  }
}

function placeOf({ curator }: CurateOptions, { cwd }: Io) {
  return { cwd, maxFiles: curator.maxFiles };
}

async function ask(prompt: string, options: CurateOptions, io: Io): Promise<{ end: StepEnd; lastError: string }> {
  const { curator, program, config, settings, stop, now, limitUsd = LIMIT_USD } = options;
  let lastError = '';
  const relay = (line: string) => {
    if (line.trim() !== '') lastError = line;
  };
  const run = {
    program,
    invocation: curatorInvocation(curator.model, settings),
    config: curatorConfig(config, limitUsd),
    prompt,
    timeoutSeconds: curator.timeoutSeconds,
    stop,
  };
  const end = await runStep(run, io, { line() {}, watcher: { ...SILENT, relay } }, now);
  return { end, lastError };
}

/** The session is not reported: what counts is in the receipt. */
const SILENT: Watcher = {
  notice() {},
  decision() {},
  status() {},
  relay() {},
  ended() {},
  clear() {},
  ask: async () => undefined,
};

function judge(output: string, history: readonly PackItem[], { curator }: CurateOptions, io: Io): CheckedAnswer {
  const read = readAnswer(output);
  if ('fault' in read) return { choice: undefined, fault: read.fault };
  return checkAnswer(read.answer, {
    steps: new Set(history.map(({ stepId }) => stepId)),
    maxFiles: curator.maxFiles,
    find: (file) => fileInside(io.cwd, file),
  });
}

/** Where claude did not get to an answer, stderr says why. */
function endFault({ error, exitCode }: StepEnd, lastError: string): string {
  const plain = `exit code ${exitCode}`;
  const why = error ?? plain;
  return told(why === plain && lastError !== '' ? `${plain}: ${lastError}` : why);
}

function told(text: string): string {
  return oneLine(text, LONG_LINE_LENGTH);
}

/**
 * With no other tool, nothing need be forbidden. (With a list of what is allowed or forbidden, claude keeps
 * all others, and runs harmless commands of its shell without asking.)
 */
const READ_ONLY = ['--tools', 'Read,Grep,Glob', '--strict-mcp-config'];

/** The only mode that allows reading in the working folder and refuses it outside whatever the user's settings say. */
const IN_THE_FOLDER = ['--permission-mode', 'default'];

/** @param settings the user's `--settings`, which may say how claude reaches its API; undefined: none */
export function curatorInvocation(model: string, settings: string | undefined): HeadlessInvocation {
  const invocation = readClaudeArguments([
    ...['-p', '--output-format', 'stream-json', '--verbose'],
    ...['--model', model],
    ...(settings === undefined ? [] : ['--settings', settings]),
    ...READ_ONLY,
    ...IN_THE_FOLDER,
    // `claude --continue` of the user must not find this session.
    '--no-session-persistence',
    ...['--json-schema', ANSWER_JSON_SCHEMA],
  ]);
  if (invocation.kind === 'headless') return invocation;
  throw new CtxbError('bug', `the arguments of the curator are read as ${invocation.kind}`);
}

/** The user's policies without notes, handoffs and recovery, and with a hard limit of cost. */
export function curatorConfig(config: Config, limitUsd: number): Config {
  const { memory, handoff, recovery, cost } = config;
  return {
    ...config,
    observe: false,
    memory: { ...memory, enabled: false },
    handoff: { ...handoff, enabled: false },
    recovery: { ...recovery, enabled: false },
    cost: { ...cost, limitUsd: Math.min(limitUsd, cost.limitUsd ?? limitUsd), onLimit: 'stop' },
  };
}

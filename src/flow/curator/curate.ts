import { givenOption, type HeadlessInvocation, readClaudeArguments } from '../../claude/claude-arguments.ts';
import type { Config } from '../../config/config.ts';
import { LONG_LINE_LENGTH, oneLine } from '../../core/text/words.ts';
import { messageOf } from '../../errors.ts';
import type { Io } from '../../io.ts';
import { fileInside } from '../file/flow-files.ts';
import type { Curator } from '../flow.ts';
import type { TaughtStep } from '../pack/frame.ts';
import type { CuratedChoice } from '../pack/receipt.ts';
import type { PackItem } from '../pack/step-block.ts';
import { runStep, type StepEnd, type StepRun } from '../run/run-step.ts';
import { answerJsonSchema, checkAnswer, curatorPrompt, readAnswer } from './question.ts';
import { checkSummaries, type MadeSummaries, type SummaryTask } from './summaries.ts';

/** `config` is the flow's configuration; `curate` disables what a curator must not do. */
export interface CurateOptions extends Pick<StepRun, 'program' | 'config' | 'stop'> {
  readonly curator: Curator;
  /** The user's `--settings` for claude, which may configure its API access. */
  readonly settings: string | undefined;
  readonly summaries: SummaryTask;
}

export type Curation = Awaited<ReturnType<typeof curate>>;

/** Pays for a few dozen tool calls of a cheap model. */
const LIMIT_USD = 0.05;

/**
 * Asks a cheap, read-only claude which files and earlier steps matter to a step, and lets it summarize outputs. Never
 * rejects: after a failure, the step runs with the mechanical selection and the summaries made before.
 *
 * @param history oldest first
 */
export async function curate(step: TaughtStep, history: readonly PackItem[], options: CurateOptions, io: Io) {
  const startedAt = performance.now();
  try {
    const { toSum, summaryChars } = options.summaries;
    const place = { cwd: io.cwd, maxFiles: options.curator.maxFiles, toSum, summaryChars };
    const { output, error, costUsd, durationMs } = await ask(curatorPrompt(step, history, place), options, io);
    const judgement = error === undefined ? checkOutput(output, history, options, io) : judgeFailure(options, error);
    return { ...judgement, costUsd, durationMs };
  } catch (error) {
    return { ...judgeFailure(options, messageOf(error)), costUsd: 0, durationMs: performance.now() - startedAt };
  }
}

interface Judgement {
  /** undefined: use the mechanical selection. */
  readonly choice: CuratedChoice | undefined;
  /** Why no choice was made, or which part of the answer was rejected. */
  readonly fault: string | undefined;
  /** The new summaries; empty without an answer. */
  readonly made: MadeSummaries;
}

/** Falls back to the summaries made before. */
function judgeFailure({ summaries: { kept } }: CurateOptions, fault: string): Judgement {
  const choice = kept.size === 0 ? undefined : { steps: [], files: [], summaries: kept };
  return { choice, fault: oneLine(fault, LONG_LINE_LENGTH), made: new Map() };
}

async function ask(prompt: string, options: CurateOptions, io: Io): Promise<StepEnd> {
  const { curator, program, config, stop } = options;
  let lastError = '';
  const relay = (line: string) => {
    if (line.trim() !== '') lastError = line;
  };
  const run = {
    program,
    invocation: curatorInvocation(curator.model, options),
    config: curatorConfig(config, LIMIT_USD),
    prompt,
    timeoutSeconds: curator.timeoutSeconds,
    stop,
  };
  // Do not report the session: the receipt contains its results.
  const end = await runStep(run, io, { line() {}, watcher: { relay } });
  // Without an answer, the last line of stderr names the cause.
  const isBare = end.error === `exit code ${end.exitCode}` && lastError !== '';
  return isBare ? { ...end, error: `${end.error}: ${lastError}` } : end;
}

function checkOutput(output: string, history: readonly PackItem[], options: CurateOptions, io: Io): Judgement {
  const read = readAnswer(output);
  if ('fault' in read) return judgeFailure(options, read.fault);
  const { curator, summaries: task } = options;
  const steps = new Set(history.map(({ stepId }) => stepId));
  const find = (file: string) => fileInside(io.cwd, file);
  const { choice, faults } = checkAnswer(read.answer, { steps, maxFiles: curator.maxFiles, find });
  const checked = checkSummaries(read.answer.summaries, task);
  const summaries = new Map(task.kept);
  for (const [id, text] of checked.made) summaries.set(id, { text, by: curator.model });
  return {
    choice: summaries.size === 0 ? choice : { ...(choice ?? { steps: [], files: [] }), summaries },
    fault: [...faults, ...checked.faults].join('; ') || undefined,
    made: checked.made,
  };
}

/**
 * `--tools` removes all other tools. `--allowedTools` and `--disallowedTools` would keep them, and claude runs harmless
 * shell commands without asking.
 */
const READ_ONLY = ['--tools', 'Read,Grep,Glob', '--strict-mcp-config'];

/**
 * The only mode that allows reading inside the working folder and denies it outside, regardless of the user's settings.
 */
const FOLDER_ONLY = ['--permission-mode', 'default'];

export function curatorInvocation(
  model: string,
  { settings, summaries }: Pick<CurateOptions, 'settings' | 'summaries'>,
): HeadlessInvocation {
  return readClaudeArguments([
    ...['-p', '--output-format', 'stream-json', '--verbose'],
    ...['--model', model],
    ...givenOption('--settings', settings),
    ...READ_ONLY,
    ...FOLDER_ONLY,
    // Keep this session out of the user's `claude --continue`.
    '--no-session-persistence',
    ...['--json-schema', answerJsonSchema(summaries.toSum.length > 0)],
  ]) as HeadlessInvocation;
}

/** The user's configuration without notes, handoffs and recovery, and with a hard cost limit. */
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

import { givenOption, type HeadlessInvocation, readClaudeArguments } from '../../claude/claude-arguments.ts';
import type { Config } from '../../config/config.ts';
import { LONG_LINE_LENGTH, oneLine } from '../../core/text/words.ts';
import { messageOf } from '../../errors.ts';
import type { Io } from '../../io.ts';
import { fileInside } from '../file/flow-files.ts';
import type { Curator } from '../flow.ts';
import type { TaughtStep } from '../pack/frame.ts';
import type { CuratedChoice } from '../pack/priority.ts';
import type { PackItem } from '../pack/step-block.ts';
import { runStep, type StepEnd, type StepRun } from '../run/run-step.ts';
import { ANSWER_JSON_SCHEMA, checkAnswer, curatorPrompt, readAnswer } from './question.ts';
import { checkSummaries, type MadeSummaries, type SummaryTask } from './summaries.ts';

/** `config` is the flow's configuration; `curate` disables what a curator must not do. */
export interface CurateOptions extends Pick<StepRun, 'program' | 'config' | 'stop'> {
  readonly curator: Curator;
  /** The user's `--settings` for claude, which may configure its API access. */
  readonly settings: string | undefined;
  readonly summaries: SummaryTask;
}

export interface Curation {
  /** After a failure it has only the summaries made before, so that the mechanical selection applies. */
  readonly choice: CuratedChoice;
  readonly fault: string | undefined;
  readonly made: MadeSummaries;
  readonly costUsd: number;
  readonly durationMs: number;
}

/** Pays for a few dozen tool calls of a cheap model. */
const LIMIT_USD = 0.05;

/** Asks a cheap, read-only claude what matters to a step, and lets it summarize outputs. Never rejects. */
export async function curate(
  step: TaughtStep,
  history: readonly PackItem[],
  options: CurateOptions,
  io: Io,
): Promise<Curation> {
  const startedAt = performance.now();
  const { summaries } = options;
  let costUsd = 0;
  let checked: Omit<Curation, 'costUsd' | 'durationMs'>;
  try {
    const end = await ask(curatorPrompt(step, history, { cwd: io.cwd, ...options.curator, ...summaries }), options, io);
    costUsd = end.costUsd;
    if (end.error !== undefined) throw new Error(end.error);
    checked = checkOutput(end.output, history, options, io);
  } catch (error) {
    checked = { choice: { steps: [], files: [], summaries: summaries.kept }, made: new Map(), fault: messageOf(error) };
  }
  const fault = checked.fault && oneLine(checked.fault, LONG_LINE_LENGTH);
  return { ...checked, fault, costUsd, durationMs: performance.now() - startedAt };
}

async function ask(prompt: string, options: CurateOptions, io: Io): Promise<StepEnd> {
  const { curator, program, config, stop } = options;
  let lastError = '';
  const relay = (line: string) => {
    if (line.trim() !== '') lastError = line;
  };
  const run = {
    program,
    invocation: curatorInvocation(curator.model, options.settings),
    config: curatorConfig(config),
    prompt,
    timeoutSeconds: curator.timeoutSeconds,
    stop,
  };
  // Do not report the session: the receipt contains its results.
  const end = await runStep(run, io, { relay });
  // Without an answer, the last line of stderr names the cause.
  const isBare = end.error === `exit code ${end.exitCode}` && lastError !== '';
  return isBare ? { ...end, error: `${end.error}: ${lastError}` } : end;
}

function checkOutput(
  output: string,
  history: readonly PackItem[],
  { curator, summaries: task }: CurateOptions,
  io: Io,
) {
  const answer = readAnswer(output);
  const known = new Set(history.map(({ stepId }) => stepId));
  const find = (file: string) => fileInside(io.cwd, file);
  const { faults, ...choice } = checkAnswer(answer, { steps: known, maxFiles: curator.maxFiles, find });
  const { made, faults: more } = checkSummaries(answer.summaries, task);
  const summaries = new Map(task.kept);
  for (const [id, text] of made) summaries.set(id, { text, by: curator.model });
  return { choice: { ...choice, summaries }, made, fault: [...faults, ...more].join('; ') || undefined };
}

export function curatorInvocation(model: string, settings: string | undefined): HeadlessInvocation {
  return readClaudeArguments([
    ...['-p', '--output-format', 'stream-json', '--verbose'],
    ...['--model', model],
    ...givenOption('--settings', settings),
    // `--allowedTools` would keep all other tools, and claude runs harmless shell commands without asking.
    ...['--tools', 'Read,Grep,Glob', '--strict-mcp-config'],
    // The only mode that denies reading outside of the working folder, regardless of the user's settings.
    ...['--permission-mode', 'default'],
    // Keep this session out of the user's `claude --continue`.
    '--no-session-persistence',
    ...['--json-schema', ANSWER_JSON_SCHEMA],
  ]) as HeadlessInvocation;
}

/** The user's configuration without notes, handoffs and recovery, and with a hard cost limit. */
export function curatorConfig(config: Config): Config {
  const { memory, handoff, recovery, cost } = config;
  return {
    ...config,
    observe: false,
    memory: { ...memory, enabled: false },
    handoff: { ...handoff, enabled: false },
    recovery: { ...recovery, enabled: false },
    cost: { ...cost, limitUsd: Math.min(LIMIT_USD, cost.limitUsd ?? LIMIT_USD), onLimit: 'stop' },
  };
}

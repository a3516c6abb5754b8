import { type HeadlessInvocation, optionArguments, readClaudeArguments } from '../../claude/claude-arguments.ts';
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
import { ANSWER_JSON_SCHEMA, type CheckedAnswer, checkAnswer, curatorPrompt, readAnswer } from './question.ts';
import type { SummaryTask } from './summaries.ts';

/** `config` is the flow's configuration. `curate` switches off what a curator must not do. */
export interface CurateOptions extends Pick<StepRun, 'program' | 'config' | 'stop'> {
  readonly curator: Curator;
  /** The user's `--settings` for claude, which may configure its API access. */
  readonly settings: string | undefined;
  readonly summaries: SummaryTask;
}

export type Curation = Readonly<Awaited<ReturnType<typeof curate>>>;

/** US dollars: pays a few dozen tool calls of a cheap model. */
const LIMIT_USD = 0.05;

/**
 * Asks a cheap, read-only claude which earlier steps and files matter to a step, and lets it summarize outputs. Never
 * rejects. After a failure, ctxb selects by itself, with the summaries made before.
 */
export async function curate(step: TaughtStep, history: readonly PackItem[], options: CurateOptions, io: Io) {
  const startedAt = performance.now();
  const { curator, summaries: task } = options;
  let cost_usd = 0;
  let checked: CheckedAnswer = { steps: [], files: [], made: new Map(), faults: [] };
  try {
    const end = await askCurator(curatorPrompt(step, history, { cwd: io.cwd, ...curator, ...task }), options, io);
    cost_usd = end.measured.cost_usd;
    if (end.measured.error !== undefined) throw new Error(end.measured.error);
    checked = checkAnswer(readAnswer(end.output), {
      ...task,
      steps: new Set(history.map(({ stepId }) => stepId)),
      maxFiles: curator.maxFiles,
      find: (file) => fileInside(io.cwd, file),
    });
  } catch (error) {
    checked.faults.push(messageOf(error));
  }
  const { steps, files, made, faults } = checked;
  const choice: CuratedChoice = { steps, files, summaries: new Map([...task.kept, ...made]) };
  const fault = faults.length === 0 ? null : oneLine(faults.join('; '), LONG_LINE_LENGTH);
  const duration_ms = Math.round(performance.now() - startedAt);
  return { choice, made, receipt: { cost_usd, duration_ms, fault, summed_up: [...made.keys()] } };
}

async function askCurator(prompt: string, options: CurateOptions, io: Io): Promise<StepEnd> {
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
  // Relays only stderr: the step's receipt contains the other results of this session.
  const end = await runStep(run, io, { relay });
  const { exit_code, error } = end.measured;
  // Without an answer, the last line of stderr names the cause.
  if (error !== `exit code ${exit_code}` || lastError === '') return end;
  return { ...end, measured: { ...end.measured, error: `${error}: ${lastError}` } };
}

export function curatorInvocation(model: string, settings: string | undefined): HeadlessInvocation {
  return readClaudeArguments([
    ...['-p', '--output-format', 'stream-json', '--verbose'],
    ...['--model', model],
    ...optionArguments('--settings', settings),
    // `--allowedTools` would not remove other tools, and claude runs harmless shell commands without asking.
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

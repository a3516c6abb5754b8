import { relative, resolve } from 'node:path';
import { givenOption } from '../claude/claude-arguments.ts';
import type { Config } from '../config/config.ts';
import { effectiveConfig } from '../config/resolve-config.ts';
import { parseFields } from '../core/protocol/fields.ts';
import { CtxbError } from '../errors.ts';
import { briefingWorld, budgetWarnings } from '../flow/briefing.ts';
import { findRun, stepOutput } from '../flow/earlier-run.ts';
import { readFlow } from '../flow/file/read-flow.ts';
import type { Flow, FlowStep } from '../flow/flow.ts';
import { createFlowProgress, flowSumText } from '../flow/report/flow-progress.ts';
import { conductFlow } from '../flow/run/conduct-flow.ts';
import { readStepClaude } from '../flow/run/run-step.ts';
import type { Io } from '../io.ts';
import { shellLine, tell } from '../report/shown.ts';
import { styleFor } from '../report/style.ts';
import { refuseRunning } from '../run/resume/earlier-run.ts';
import { stopOrphanedRuns } from '../run/resume/resume-run.ts';
import type { Lock } from '../store/files/lock.ts';
import { asProcessMark, type ProcessMark } from '../store/files/process-mark.ts';
import { createFaults } from '../store/files/store-error.ts';
import { type FlowRunFiles, listFlowRuns, newFlowRun, openFlowRun } from '../store/runs/flow-run.ts';

/** Options of `ctxb flow run`, as parsed by commander. */
interface FlowRunOptions {
  readonly resume?: string;
  readonly profile?: string;
  readonly quiet?: true;
  readonly contextDir?: string;
}

/** A run of a flow, before its finished steps are known. */
interface FlowRequest {
  readonly file: string;
  readonly flow: Flow;
  readonly words: readonly string[];
  readonly options: FlowRunOptions;
  readonly config: Config;
  readonly files: FlowRunFiles;
  readonly say: (text: string) => void;
}

/** Runs the steps of a flow file. Resolves with the worst exit code. */
export async function runFlowFile(
  file: string,
  words: readonly string[],
  options: FlowRunOptions,
  io: Io,
): Promise<number> {
  const flow = readFlow(resolve(io.cwd, file), { profile: options.profile });
  if (words.length === 0) {
    const suggestion = shellLine(['ctxb', 'flow', 'run', file, '--', 'claude']);
    throw new CtxbError('usage', `flow run: no program given: did you mean: ${suggestion}`);
  }
  const config = await effectiveConfig(io, { contextDir: options.contextDir });
  const say = (text: string) => void (options.quiet || tell(io, text));
  const contextDir = resolve(io.cwd, config.contextDir);
  const { resume } = options;
  const runs = listFlowRuns(contextDir, flow.name).map((id) => ({ id }));
  const id = resume === undefined ? newFlowRun(flow.name) : findRun(runs, resume).id;
  const files = openFlowRun(contextDir, id, createFaults(say));
  const request = { file, flow, words, options, config, files, say };
  for (const step of flow.steps) claudeFor(request, step);
  // Lock before checking which steps are done.
  const lock = lockRun(files);
  try {
    return await runSteps(request, io);
  } finally {
    lock.release();
  }
}

async function runSteps(request: FlowRequest, io: Io): Promise<number> {
  const { flow, options, config, files, say } = request;
  const done = new Set(
    options.resume === undefined ? [] : flow.steps.map(({ id }) => id).filter((id) => stepOutput(files, id)?.ok),
  );
  const open = flow.steps.filter(({ id }) => !done.has(id));
  const brief = (step: FlowStep) => {
    const window = config.window ?? claudeFor(request, step).window;
    return briefingWorld({ cwd: io.cwd, window, global: config.flow });
  };
  for (const warning of budgetWarnings(flow, open, brief)) say(warning);
  await endOrphans(files, resolve(io.cwd, config.contextDir), say);
  say(`flow ${flow.name}, run ${files.id}: its files are in ${relative(io.cwd, files.folder)}`);
  const quiet = options.quiet === true;
  const style = await styleFor(io.stderr, io.env);
  const progress = createFlowProgress({ stderr: io.stderr, style, quiet });
  const run = { flow, files, done, brief, progress, claudeFor: (step: FlowStep) => claudeFor(request, step) };
  const { board, exitCode } = await conductFlow(run, io);
  say(`${flowSumText(board)}; each step: ctxb flow report`);
  if ([...board.values()].some(({ kind }) => kind !== 'done')) say(`to continue: ${resumeCommand(request)}`);
  return exitCode;
}

/** The shell command that resumes the run. */
function resumeCommand({ file, words, options, files }: FlowRequest) {
  const flags = [...givenOption('--profile', options.profile), ...givenOption('--context-dir', options.contextDir)];
  return shellLine(['ctxb', 'flow', 'run', file, '--resume', files.id, ...flags, '--', ...words]);
}

/**
 * How claude is started for a step.
 *
 * @throws CtxbError `usage` when the arguments are incompatible with a flow
 */
function claudeFor({ words, config }: FlowRequest, step: FlowStep) {
  return { ...readStepClaude(words, step.model), config };
}

/** Locks the run, because two processes that write the same step files would undo each other's work. */
function lockRun(files: FlowRunFiles): Lock {
  refuseRunning(files.id, ctxbOf(files));
  return files.lock();
}

/** Ends claude processes that a killed ctxb left behind, because they would undo the work too. */
async function endOrphans(files: FlowRunFiles, contextDir: string, say: (text: string) => void): Promise<void> {
  const ctxb = ctxbOf(files);
  if (ctxb === undefined || ctxb.pid === process.pid) return;
  await stopOrphanedRuns(contextDir, ctxb, { notice: say, onFault: createFaults(say) });
}

/** The process that last ran this flow run. */
function ctxbOf(files: FlowRunFiles): ProcessMark | undefined {
  return asProcessMark(parseFields(files.readRun() ?? '').ctxb);
}

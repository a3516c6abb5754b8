import { relative, resolve } from 'node:path';
import { optionArguments } from '../claude/claude-arguments.ts';
import { effectiveConfig } from '../config/resolve-config.ts';
import { parseFields } from '../core/protocol/fields.ts';
import { CtxbError } from '../errors.ts';
import { budgetWarnings } from '../flow/briefing.ts';
import { findRun, stepOutput } from '../flow/earlier-run.ts';
import { readFlow } from '../flow/file/read-flow.ts';
import type { FlowStep } from '../flow/flow.ts';
import { createFlowProgress, flowEndLines } from '../flow/report/flow-progress.ts';
import { type FlowRun, runFlow } from '../flow/run/conduct-flow.ts';
import { readStepClaude } from '../flow/run/run-step.ts';
import type { Io } from '../io.ts';
import { shellLine, tell } from '../report/printable.ts';
import { styleFor } from '../report/style.ts';
import { refuseRunning } from '../run/resume/earlier-run.ts';
import { stopOrphanedRuns } from '../run/resume/resume-run.ts';
import { readProcessMark } from '../store/files/process-mark.ts';
import { createFaults } from '../store/files/store-error.ts';
import { listFlowRuns, newFlowRun, openFlowRun } from '../store/runs/flow-run.ts';
import type { FlowFlags } from './flow-show.ts';

interface FlowRunOptions extends FlowFlags {
  readonly resume?: string;
  readonly quiet?: true;
}

export async function runFlowFile(
  file: string,
  words: readonly string[],
  options: FlowRunOptions,
  io: Io,
): Promise<number> {
  const { resume, profile, contextDir: folder } = options;
  const flow = readFlow(resolve(io.cwd, file), { profile });
  if (words.length === 0) {
    const suggestion = shellLine(['ctxb', 'flow', 'run', file, '--', 'claude']);
    throw new CtxbError('usage', `flow run: no program given: did you mean: ${suggestion}`);
  }
  const config = await effectiveConfig(io, { contextDir: folder });
  const claudeFor = (step: FlowStep) => {
    const { window, ...claude } = readStepClaude(words, step.model);
    return { ...claude, config, place: { cwd: io.cwd, window: config.window ?? window, global: config.flow } };
  };
  // Refuse wrong arguments before anything runs.
  flow.steps.forEach(claudeFor);
  const say = (text: string) => void (options.quiet || tell(io, text));
  const contextDir = resolve(io.cwd, config.contextDir);
  const runs = listFlowRuns(contextDir, flow.name).map((id) => ({ id }));
  const id = resume === undefined ? newFlowRun(flow.name) : findRun(runs, resume).id;
  const files = openFlowRun(contextDir, id, createFaults(say));
  const progress = createFlowProgress(io.stderr, await styleFor(io.stderr, io.env), options.quiet === true);
  const { newsByStep, exitCode } = await runLocked({ flow, files, progress, claudeFor }, say, io);
  flowEndLines(newsByStep).forEach(say);
  const flags = ['--resume', id, ...optionArguments('--profile', profile), ...optionArguments('--context-dir', folder)];
  const isOver = [...newsByStep.values()].every(({ kind }) => kind === 'done');
  if (!isOver) say(`to continue: ${shellLine(['ctxb', 'flow', 'run', file, ...flags, '--', ...words])}`);
  return exitCode;
}

/** Runs the unfinished steps while no other process runs them: two would undo each other's work. */
async function runLocked(run: Omit<FlowRun, 'open'>, say: (text: string) => void, io: Io) {
  const { flow, files, claudeFor } = run;
  const ctxb = readProcessMark(parseFields(files.readRun()).ctxb);
  refuseRunning(files.id, ctxb);
  const lock = files.lock();
  try {
    const open = flow.steps.filter(({ id }) => stepOutput(files, id)?.ok !== true);
    for (const warning of budgetWarnings(flow, open, (step) => claudeFor(step).place)) say(warning);
    // Processes of claude that a killed ctxb left behind would undo the work too.
    if (ctxb !== undefined) {
      await stopOrphanedRuns(files.contextDir, ctxb, { notice: say, onFault: createFaults(say) });
    }
    say(`flow ${flow.name}, run ${files.id}: its files are in ${relative(io.cwd, files.folder)}`);
    return await runFlow({ ...run, open }, io);
  } finally {
    lock.release();
  }
}

import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { effectiveConfig } from '../config/effective-config.ts';
import { CtxbError } from '../errors.ts';
import { type BriefingWorld, briefingOf } from '../flow/briefing.ts';
import { orderSteps } from '../flow/file/order-steps.ts';
import { promptFile } from '../flow/file/prompt-file.ts';
import { readFlow } from '../flow/file/read-flow.ts';
import type { Flow, FlowStep } from '../flow/flow.ts';
import { conductFlow, type FlowRun, outputOf } from '../flow/run/conduct-flow.ts';
import { settledSteps } from '../flow/run/settled-steps.ts';
import { readStepClaude } from '../flow/run/step-claude.ts';
import type { Io } from '../io.ts';
import { createFlowProgress } from '../report/flow-progress.ts';
import { flowTable } from '../report/flow-table.ts';
import { printable, styleFor } from '../report/style.ts';
import { endLeft } from '../session/end-left.ts';
import { createFaults, type Faults } from '../session/faults.ts';
import { type FlowRunFiles, listFlowRuns, newFlowRun, openFlowRun } from '../store/flow-run.ts';
import { asProcessMark, isAlive } from '../store/process-mark.ts';
import { parseFields } from '../stream/fields.ts';
import type { FlowRunOptions } from './flow.ts';

const EXIT_CONFIG = 2;

/** A flow to be run, as the command line names it. */
interface Asked {
  readonly file: string;
  readonly flow: Flow;
  readonly words: readonly string[];
  readonly options: FlowRunOptions;
}

/** Runs the steps of a flow's file, or prints what they would be given. Resolves with the worst exit code. */
export async function runFlowFile(
  file: string,
  words: readonly string[],
  options: FlowRunOptions,
  io: Io,
): Promise<number> {
  const { flow, findings } = readFlow(resolve(io.cwd, file));
  if (flow === undefined) {
    io.stderr.write(findings.map(({ message }) => `ctxb: ${printable(message)}\n`).join(''));
    return EXIT_CONFIG;
  }
  const config = await effectiveConfig({ cwd: io.cwd, env: io.env, flags: { contextDir: options.contextDir } });
  const asked = { file, flow, words, options };
  const say = (text: string) => void (options.quiet || io.stderr.write(`ctxb: ${printable(text)}\n`));
  const run = await describe(asked, config, say, io);
  if (options.dryRun) return dryRun(run, io);
  await endEarlier(run.files, resolve(io.cwd, config.contextDir), say);
  say(`flow ${flow.name}, run ${run.files.id}: its files are in ${relative(io.cwd, run.files.folder)}`);
  const { board, ends, exitCode } = await conductFlow(run, io);
  if (!options.quiet) io.stderr.write(flowTable(flow, board, ends));
  const open = flow.steps.filter(({ id }) => ['failed', 'stopped', 'skipped'].includes(board[id] ?? ''));
  if (open.length > 0) say(`to go on: ${resumeCommand(asked, run.files)}`);
  return exitCode;
}

/** For a shell. */
function resumeCommand({ file, words, options }: Asked, { id }: FlowRunFiles): string {
  const folder = options.contextDir === undefined ? [] : ['--context-dir', options.contextDir];
  const all = ['ctxb', 'flow', 'run', file, '--resume', id, ...folder, '--', ...words];
  return all.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}

async function describe(asked: Asked, config: Config, say: (text: string) => void, io: Io): Promise<FlowRun> {
  const { flow, words, options, file } = asked;
  const contextDir = resolve(io.cwd, config.contextDir);
  const parallel = countOf(options.parallel);
  const claudes = new Map(flow.steps.map((step) => [step.id, readStepClaude(words, step)]));
  const files = openFlowRun(contextDir, faultsOf(say), earlierRun(flow, contextDir, options) ?? newFlowRun(flow.name));
  const settled = settledSteps(flow, options, (id) => outputOf(files, id, io.cwd)?.ok === true);
  const style = await styleFor(io.stderr, io.env);
  return {
    flow,
    files,
    settled,
    parallel,
    claudeFor: ({ id }) => ({ ...(claudes.get(id) ?? neverMissing(id)), config }),
    brief: ({ id }): Omit<BriefingWorld, 'outputs'> => ({
      exists: (named) => existsSync(resolve(io.cwd, named)),
      readPrompt: (named) => readPrompt(dirname(resolve(io.cwd, file)), named),
      window: config.window ?? claudes.get(id)?.window,
    }),
    progress: createFlowProgress({
      stderr: io.stderr,
      style,
      quiet: options.quiet === true,
      total: flow.steps.length - settled.leftOut.size,
      done: settled.done.size,
    }),
  };
}

function neverMissing(id: string): never {
  throw new Error(`no claude for step ${id}`);
}

function faultsOf(say: (text: string) => void): Faults {
  return createFaults(say);
}

/** The run whose outputs stand for what is not run; undefined: everything is run. */
function earlierRun(flow: Flow, contextDir: string, { resume, from, only }: FlowRunOptions): string | undefined {
  const runs = listFlowRuns(contextDir, flow.name);
  if (resume === undefined) return from === undefined && only === undefined ? undefined : runs[0];
  if (runs.includes(resume)) return resume;
  const known = runs.length === 0 ? 'there is none yet' : `known are ${runs.slice(0, 5).join(', ')}`;
  throw new CtxbError('usage', `--resume ${resume}: no such run of ${flow.name}: ${known}`);
}

/** Two that run one flow's steps into the same files would undo each other's work, and so would a claude left alone. */
async function endEarlier(files: FlowRunFiles, contextDir: string, say: (text: string) => void): Promise<void> {
  const ctxb = asProcessMark(parseFields(files.readRun() ?? '').ctxb);
  if (ctxb === undefined || ctxb.pid === process.pid) return;
  if (ctxb.start !== undefined && isAlive(ctxb)) {
    throw new CtxbError('usage', `run ${files.id} still goes on (process ${ctxb.pid}): end it first`);
  }
  await endLeft(contextDir, ctxb, { notice: say, onFault: faultsOf(say) });
}

function countOf(parallel: string | undefined): number {
  const count = Number(parallel ?? 1);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new CtxbError('usage', `--parallel ${parallel}: expected a whole number, 1 or more`);
}

function readPrompt(folder: string, file: string): string {
  const found = promptFile(folder, file);
  if ('path' in found) return readFileSync(found.path, 'utf8');
  throw new CtxbError('config', `the prompt file ${file} cannot be read (${found.fault}): name another one`);
}

/** Prints the briefings of what would be run, with what earlier steps have said as far as a run is there. */
function dryRun({ flow, files, settled, brief }: FlowRun, io: Io): number {
  const isAsked = ({ id }: FlowStep) => !settled.done.has(id) && !settled.leftOut.has(id);
  const outputs = (id: string) => outputOf(files, id, io.cwd);
  for (const step of orderSteps(flow).sequence.filter(isAsked)) {
    const { pack, budgets } = briefingOf(flow, step, { ...brief(step), outputs });
    const receipt = { ...pack.receipt, budgets: budgets.values, budget_warnings: budgets.warnings };
    io.stdout.write(`===== ${step.id}: briefing =====\n${pack.text}`);
    io.stdout.write(`===== ${step.id}: receipt =====\n${JSON.stringify(receipt, null, 2)}\n`);
  }
  return 0;
}

import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { effectiveConfig } from '../config/effective-config.ts';
import { CtxbError } from '../errors.ts';
import { briefingOf } from '../flow/briefing.ts';
import { orderSteps } from '../flow/file/order-steps.ts';
import { promptFile } from '../flow/file/prompt-file.ts';
import { readFlow } from '../flow/file/read-flow.ts';
import type { Flow, FlowStep } from '../flow/flow.ts';
import { conductFlow, type FlowRun } from '../flow/run/conduct-flow.ts';
import { stepOutput } from '../flow/step-output.ts';
import type { Io } from '../io.ts';
import { createFlowProgress } from '../report/flow-progress.ts';
import { flowTable } from '../report/flow-table.ts';
import { styleFor } from '../report/style.ts';
import { type HeadlessInvocation, readClaudeArguments } from '../session/claude-arguments.ts';
import { createFaults } from '../session/faults.ts';
import { listFlowRuns, newFlowRun, openFlowRun } from '../store/flow-run.ts';

/** Options of `ctxb flow run`, as commander hands them over. */
export interface FlowRunOptions {
  readonly parallel?: string;
  readonly resume?: string;
  readonly from?: string;
  readonly only?: string;
  readonly dryRun?: true;
  readonly quiet?: true;
  readonly contextDir?: string;
}

const EXIT_CONFIG = 2;

/** Runs the steps of a flow's file, or prints what they would be given. Resolves with the worst exit code. */
export async function runFlowFile(
  file: string,
  words: readonly string[],
  options: FlowRunOptions,
  io: Io,
): Promise<number> {
  const path = resolve(io.cwd, file);
  const { flow, findings } = readFlow(path);
  if (flow === undefined) {
    io.stderr.write(findings.map(({ message }) => `ctxb: ${message}\n`).join(''));
    return EXIT_CONFIG;
  }
  const config = await effectiveConfig({ cwd: io.cwd, env: io.env, flags: { contextDir: options.contextDir } });
  const run = await describe(flow, path, words, options, config, io);
  if (options.dryRun) return dryRun(run, io);
  const { board, ends, exitCode } = await conductFlow(run, io);
  if (!options.quiet) io.stderr.write(flowTable(flow, board, ends));
  return exitCode;
}

async function describe(
  flow: Flow,
  path: string,
  words: readonly string[],
  options: FlowRunOptions,
  config: Config,
  io: Io,
): Promise<FlowRun> {
  const contextDir = resolve(io.cwd, config.contextDir);
  const quiet = options.quiet === true;
  const faults = createFaults((text) => void (quiet || io.stderr.write(`ctxb: ${text}\n`)));
  const files = openFlowRun(contextDir, earlierRun(flow, contextDir, options) ?? newFlowRun(flow.name), faults);
  const done = doneSteps(flow, options, (id) => stepOutput(files, id)?.ok === true);
  const style = await styleFor(io.stderr, io.env);
  return {
    flow,
    files,
    done,
    parallel: countOf(options.parallel),
    claudeFor: (step) => ({ ...readClaude(words, step), config }),
    brief: {
      exists: (named) => existsSync(resolve(io.cwd, named)),
      readPrompt: (named) => readPrompt(dirname(path), named),
    },
    progress: createFlowProgress({ stderr: io.stderr, style, quiet, total: flow.steps.length, done: done.size }),
  };
}

/** The run whose outputs stand for what is not run; undefined: everything is run. */
function earlierRun(flow: Flow, contextDir: string, { resume, from, only }: FlowRunOptions): string | undefined {
  const runs = listFlowRuns(contextDir, flow.name);
  if (resume === undefined) return from === undefined && only === undefined ? undefined : runs[0];
  if (runs.includes(resume)) return resume;
  const known = runs.length === 0 ? 'there is none yet' : `known are ${runs.slice(0, 5).join(', ')}`;
  throw new CtxbError('usage', `--resume ${resume}: no such run of ${flow.name}: ${known}`);
}

/** Steps that are not run. */
function doneSteps(flow: Flow, { resume, from, only }: FlowRunOptions, isDone: (id: string) => boolean): Set<string> {
  const ids = orderSteps(flow).sequence.map(({ id }) => id);
  for (const [option, id] of Object.entries({ from, only })) {
    if (id !== undefined && !ids.includes(id)) {
      throw new CtxbError('usage', `--${option} ${id}: no step of ${flow.name} has this id: ${ids.join(', ')}`);
    }
  }
  if (only !== undefined) return new Set(ids.filter((id) => id !== only));
  if (from !== undefined) return new Set(ids.slice(0, ids.indexOf(from)));
  return new Set(resume === undefined ? [] : ids.filter(isDone));
}

function countOf(parallel: string | undefined): number {
  const count = Number(parallel ?? 1);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw new CtxbError('usage', `--parallel ${parallel}: expected a whole number, 1 or more`);
}

/** How claude is started for a step; the flow says prompt, model and format. */
function readClaude([program, ...args]: readonly string[], step: FlowStep) {
  if (program === undefined) throw new CtxbError('usage', 'no program given: ctxb flow run FILE -- claude [arguments]');
  const model = step.model === undefined ? [] : ['--model', step.model];
  const invocation = readClaudeArguments(['-p', '--output-format', 'stream-json', '--verbose', ...args, ...model]);
  if (invocation.kind !== 'headless') throw new CtxbError('usage', `claude cannot be run so: ${reasonOf(invocation)}`);
  refuseOwn(invocation);
  return { program, invocation };
}

function reasonOf(invocation: Exclude<ReturnType<typeof readClaudeArguments>, { readonly kind: 'headless' }>): string {
  return invocation.kind === 'untouched'
    ? invocation.reason
    : `write ${invocation.option}=…, so that it is clear what "${invocation.candidate}" belongs to`;
}

/** A flow gives every step its prompt, its session and its format. */
function refuseOwn({ prompt, resumes, inputFormat, outputFormat }: HeadlessInvocation): void {
  const wrong = [
    ...(prompt === undefined ? [] : [`the prompt "${prompt}"`]),
    ...(resumes ? ['a session to go on with'] : []),
    ...(inputFormat === 'text' && outputFormat === 'stream-json' ? [] : ['a format']),
  ];
  if (wrong.length > 0)
    throw new CtxbError('usage', `leave ${wrong.join(' and ')} out: the flow says that of each step`);
}

function readPrompt(folder: string, file: string): string {
  const found = promptFile(folder, file);
  if ('path' in found) return readFileSync(found.path, 'utf8');
  throw new CtxbError('config', `the prompt file ${file} cannot be read (${found.fault}): name another one`);
}

/** Prints every briefing and its receipt, with what earlier steps have said as far as a run is there. */
function dryRun({ flow, files, brief }: FlowRun, io: Io): number {
  for (const step of orderSteps(flow).sequence) {
    const { pack, budgets } = briefingOf(flow, step, { ...brief, outputs: (id) => stepOutput(files, id) });
    const receipt = JSON.stringify(
      { ...pack.receipt, budgets: budgets.values, budget_warnings: budgets.warnings },
      null,
      2,
    );
    io.stdout.write(`===== ${step.id}: briefing =====\n${pack.text}===== ${step.id}: receipt =====\n${receipt}\n`);
  }
  return 0;
}

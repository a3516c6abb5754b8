import { resolve } from 'node:path';
import { closest } from '../config/finding.ts';
import { quickSettings } from '../config/quick-config.ts';
import { contextFolder, effectiveConfig } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import { briefingOf, briefingWorld } from '../flow/briefing.ts';
import { type EarlierRun, earlierRuns, findRun } from '../flow/earlier-run.ts';
import { namedProfile } from '../flow/file/flow-files.ts';
import { orderSteps } from '../flow/file/order-steps.ts';
import { requireFlow } from '../flow/file/read-flow.ts';
import type { Flow, FlowStep } from '../flow/flow.ts';
import { explainFlow, flowExplainText } from '../flow/report/explain.ts';
import { flowReportText, reportRun } from '../flow/report/run-report.ts';
import type { Io } from '../io.ts';
import { printable, printableJson, tell } from '../report/shown.ts';
import { styleFor } from '../report/style.ts';

export interface ExplainOptions {
  readonly json?: true;
  readonly profile?: string;
  readonly contextDir?: string;
}

/** `ctxb flow explain`: the budgets of each step, and what its pack would hold. */
export async function explain(file: string, options: ExplainOptions, io: Io): Promise<number> {
  const { json, profile, contextDir } = options;
  const path = resolve(io.cwd, file);
  const flow = requireFlow(path, { profile: namedProfile(profile, io.cwd) });
  const { config } = await quickSettings({ cwd: io.cwd, env: io.env, flags: { contextDir } });
  const run = earlierRuns(resolve(io.cwd, config.contextDir)).find((each) => each.flow() === flow.name);
  const { window, flow: global } = config;
  const world = briefingWorld({ file: path, cwd: io.cwd, run, window, global });
  const explained = explainFlow(flow, world, run?.id);
  const text = json
    ? `${printableJson(explained, 2)}\n`
    : flowExplainText(explained, await styleFor(io.stdout, io.env), io.stdout.columns);
  io.stdout.write(text);
  return 0;
}

export interface ReportOptions {
  readonly json?: true;
  readonly contextDir?: string;
}

/** `ctxb flow report`: what the steps of a run were given and took. @param name of the run; the newest without it */
export async function report(name: string | undefined, options: ReportOptions, io: Io): Promise<number> {
  const folder = await contextFolder(io, options.contextDir);
  const runs = earlierRuns(folder);
  const run = name === undefined ? runs[0] : findRun(runs, name);
  if (run === undefined) throw new CtxbError('unreadable-input', `${folder} holds no run of a flow: run one first`);
  const reported = reportRun(run);
  const { stdout, env } = io;
  const text = options.json
    ? `${printableJson(reported, 2)}\n`
    : flowReportText(reported, await styleFor(stdout, env), stdout.columns);
  stdout.write(text);
  return 0;
}

/** Options of `ctxb flow pack`, as commander hands them over. */
export interface PackOptions {
  readonly run?: string;
  readonly receipt?: true;
  readonly profile?: string;
  readonly contextDir?: string;
}

/** `ctxb flow pack`: prints the briefing of one step, or its receipt. */
export async function printPack(file: string, id: string, options: PackOptions, io: Io): Promise<number> {
  const path = resolve(io.cwd, file);
  const flow = requireFlow(path, { profile: namedProfile(options.profile, io.cwd) });
  const step = stepOf(flow, id);
  const config = await effectiveConfig({ cwd: io.cwd, env: io.env, flags: { contextDir: options.contextDir } });
  const run = runOf(flow, earlierRuns(resolve(io.cwd, config.contextDir)), options.run);
  const { window, flow: global } = config;
  const world = briefingWorld({ file: path, cwd: io.cwd, run, window, global });
  const { pack, budgets } = briefingOf(flow, step, world);
  const missing = (orderSteps(flow).history.get(id) ?? []).filter((earlier) => world.outputs(earlier) === undefined);
  const notices = [
    ...(missing.length === 0 ? [] : [`steps without an output are not in the briefing: ${missing.join(', ')}`]),
    ...budgets.warnings.map(({ message }) => message),
    ...pack.receipt.warnings,
  ];
  for (const text of notices) tell(io, text);
  const receipt = { ...pack.receipt, budgets: budgets.values, budget_warnings: budgets.warnings };
  io.stdout.write(
    options.receipt ? `${printableJson(receipt, 2)}\n` : io.stdout.isTTY ? printable(pack.text) : pack.text,
  );
  return 0;
}

function stepOf({ steps, name }: Flow, id: string): FlowStep {
  const step = steps.find((one) => one.id === id);
  if (step !== undefined) return step;
  const ids = steps.map((one) => one.id);
  const meant = closest(id, ids);
  const todo = meant === undefined ? `it has ${ids.slice(0, 20).join(', ')}` : `did you mean ${meant}?`;
  throw new CtxbError('usage', `${id}: no step of ${name}; ${todo}`);
}

function runOf({ name }: Flow, runs: readonly EarlierRun[], wanted: string | undefined): EarlierRun | undefined {
  if (wanted === undefined) return runs.find((run) => run.flow() === name);
  const run = findRun(runs, wanted);
  const flow = run.flow() ?? name;
  if (flow === name) return run;
  throw new CtxbError('usage', `--run ${run.id}: is a run of ${flow}, not of ${name}: name another one`);
}

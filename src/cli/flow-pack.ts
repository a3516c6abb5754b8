import { resolve } from 'node:path';
import { closest } from '../config/finding.ts';
import { effectiveConfig } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import { briefingOf, briefingWorld } from '../flow/briefing.ts';
import { type EarlierRun, earlierRuns, findRun } from '../flow/earlier-run.ts';
import { namedProfile } from '../flow/file/flow-files.ts';
import { orderSteps } from '../flow/file/order-steps.ts';
import { requireFlow } from '../flow/file/read-flow.ts';
import type { Flow, FlowStep } from '../flow/flow.ts';
import type { Io } from '../io.ts';
import { printable, printableJson } from '../report/shown.ts';

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
    ...(missing.length === 0 ? [] : [`steps without an output are not in the pack: ${missing.join(', ')}`]),
    ...budgets.warnings.map(({ message }) => message),
    ...pack.receipt.warnings,
  ];
  for (const text of notices) io.stderr.write(`ctxb: ${printable(text)}\n`);
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

import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import { effectiveConfig } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import { earlierRuns, findRun } from '../flow/earlier-run.ts';
import { readFlow } from '../flow/file/read-flow.ts';
import type { Flow } from '../flow/flow.ts';
import { flowExplainText, viewFlow } from '../flow/report/explain.ts';
import { flowReportText, reportRun } from '../flow/report/run-report.ts';
import type { Io } from '../io.ts';
import { type CommonFlags, printResult } from './command.ts';

export interface FlowFlags extends CommonFlags {
  readonly profile?: string;
}

/** `ctxb flow explain`: prints the budgets of each step, and the contents of its briefing. */
export async function explain(file: string, options: FlowFlags, io: Io): Promise<number> {
  const flow = readFlow(resolve(io.cwd, file), options);
  const view = await createFlowViewer(options, io);
  await printResult(view(flow).explained, options, io, flowExplainText);
  return 0;
}

export async function createFlowViewer({ contextDir }: CommonFlags, io: Io) {
  const { window, flow: global, ...config } = await effectiveConfig(io, { contextDir });
  const place = { cwd: io.cwd, ...flowRuns(config, io), window, global };
  return (flow: Flow) => viewFlow(flow, place);
}

const flowRuns = ({ contextDir, cost }: Pick<Config, 'contextDir' | 'cost'>, { cwd }: Io) => ({
  contextDir: resolve(cwd, contextDir),
  prices: cost.prices,
});

/** `ctxb flow report`: prints the inputs and the usage of a run's steps. @param name default: the newest run */
export async function showReport(name: string | undefined, options: CommonFlags, io: Io): Promise<number> {
  const place = flowRuns(await effectiveConfig(io, { contextDir: options.contextDir }), io);
  const runs = earlierRuns(place);
  const run = name === undefined ? runs[0] : findRun(runs, name);
  if (run === undefined)
    throw new CtxbError('unreadable-input', `${place.contextDir} has no run of a flow: run one first`);
  await printResult(reportRun(run), options, io, flowReportText);
  return 0;
}

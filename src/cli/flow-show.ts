import { resolve } from 'node:path';
import { contextFolder, effectiveConfig } from '../config/resolve-config.ts';
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
  const config = await effectiveConfig(io, { contextDir });
  const { window, flow: global } = config;
  const place = { cwd: io.cwd, contextDir: resolve(io.cwd, config.contextDir), window, global };
  return (flow: Flow) => viewFlow(flow, place);
}

/** `ctxb flow report`: prints the inputs and the usage of a run's steps. @param name default: the newest run */
export async function showReport(name: string | undefined, options: CommonFlags, io: Io): Promise<number> {
  const folder = await contextFolder(io, options.contextDir);
  const runs = earlierRuns(folder);
  const run = name === undefined ? runs[0] : findRun(runs, name);
  if (run === undefined) throw new CtxbError('unreadable-input', `${folder} has no run of a flow: run one first`);
  await printResult(reportRun(run), options, io, flowReportText);
  return 0;
}

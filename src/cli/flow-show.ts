import { resolve } from 'node:path';
import { contextFolder, effectiveConfig } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import { briefingWorld } from '../flow/briefing.ts';
import { earlierRuns, findRun } from '../flow/earlier-run.ts';
import { requireFlow } from '../flow/file/read-flow.ts';
import { explainFlow, flowExplainText } from '../flow/report/explain.ts';
import { flowReportText, reportRun } from '../flow/report/run-report.ts';
import type { Io } from '../io.ts';
import { type CommonFlags, printResult } from './command.ts';

interface ExplainOptions extends CommonFlags {
  readonly profile?: string;
}

/** `ctxb flow explain`: prints the budgets of each step, and the contents of its pack. */
export async function explain(file: string, options: ExplainOptions, io: Io): Promise<number> {
  const { profile, contextDir } = options;
  const flow = requireFlow(resolve(io.cwd, file), { profile });
  const config = await effectiveConfig(io, { contextDir });
  const run = earlierRuns(resolve(io.cwd, config.contextDir)).find((each) => each.flow() === flow.name);
  const { window, flow: global } = config;
  const world = briefingWorld({ cwd: io.cwd, window, global });
  const explained = explainFlow(flow, { ...world, outputs: (id) => run?.outputOf(id) }, run?.id);
  await printResult(explained, options, io, flowExplainText);
  return 0;
}

/**
 * `ctxb flow report`: prints the inputs and the usage of a run's steps. @param name id of the run; default: the newest
 */
export async function report(name: string | undefined, options: CommonFlags, io: Io): Promise<number> {
  const folder = await contextFolder(io, options.contextDir);
  const runs = earlierRuns(folder);
  const run = name === undefined ? runs[0] : findRun(runs, name);
  if (run === undefined) throw new CtxbError('unreadable-input', `${folder} has no run of a flow: run one first`);
  await printResult(reportRun(run), options, io, flowReportText);
  return 0;
}

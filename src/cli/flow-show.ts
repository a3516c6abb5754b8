import { contextFolder } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import { earlierRuns, findRun } from '../flow/earlier-run.ts';
import { flowReportText, reportRun } from '../flow/report/run-report.ts';
import type { Io } from '../io.ts';
import { printableJson } from '../report/shown.ts';
import { styleFor } from '../report/style.ts';

export interface ReportOptions {
  readonly json?: true;
  readonly contextDir?: string;
}

/**
 * `ctxb flow report`: prints the inputs and the usage of a run's steps. @param name id of the run; default: the newest
 */
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

import { contextFolder } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import { type EarlierRun, earlierRuns, findRun } from '../flow/earlier-run.ts';
import { flowReportText, reportRun } from '../flow/report/run-report.ts';
import type { KnownReceipt } from '../flow/step-receipt.ts';
import type { Io } from '../io.ts';
import { printableJson } from '../report/shown.ts';
import { styleFor } from '../report/style.ts';

/** Runs that are looked through for a step to compare with. */
const MAX_RUNS = 50;

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
  const reported = reportRun(run, comparableWith(run, runs));
  const { stdout, env } = io;
  const text = options.json
    ? `${printableJson(reported, 2)}\n`
    : flowReportText(reported, await styleFor(stdout, env), stdout.columns);
  stdout.write(text);
  return 0;
}

/** The receipts of a step in other runs of the same flow. */
function comparableWith(run: EarlierRun, runs: readonly EarlierRun[]) {
  const flow = run.flow();
  const others = runs.filter(({ id }) => id !== run.id).slice(0, MAX_RUNS);
  return function* (step: string): Generator<KnownReceipt> {
    for (const other of others) {
      const receipt = other.receiptOf(step);
      if (receipt !== undefined && receipt.flow === flow) yield receipt;
    }
  };
}

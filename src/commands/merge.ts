import type { Command } from 'commander';
import { effectiveConfig } from '../config/effective-config.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { readPartials } from '../replay/read-partials.ts';
import type { Judged } from '../replay/replay-all.ts';
import type { SessionSummary } from '../replay/summary.ts';
import { counted } from '../report/figures.ts';
import { openStdin } from './open-stdin.ts';
import { printReport } from './print-report.ts';
import { addReportOptions, type ReportFlags, readReportFlags } from './report-options.ts';

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command.argument('[files...]', 'what ctxb replay --partial has printed; - or nothing is stdin');
  addReportOptions(command);
  command
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], flags: ReportFlags) => finish(await merge(files, flags, io)));
}

const EXAMPLES = `
A session counts once, however often it is there: the same file name, session
and first line. Of a recording that has grown the longest counts. --detail and
--ndjson show calls: make the partials with --partial --series for them.

Examples:
  ctxb merge a.part b.part
  ctxb merge --csv *.part > sessions.csv
  ctxb merge --partial a.part b.part | ctxb merge - c.part`;

async function merge(files: readonly string[], flags: ReportFlags, io: Io): Promise<number> {
  const options = readReportFlags(flags, Date.now());
  const levels = await effectiveConfig({ cwd: io.cwd, env: io.env, flags: {} });
  const parts = files.length === 0 ? ['-'] : files;
  const { sessions, faults, repeated } = await readPartials(parts, openStdin(parts, io));
  if (repeated > 0) io.stderr.write(`ctxb: ${counted(repeated, 'session')} more than once, each counts once\n`);
  const judged = [
    ...faults.map((fault) => ({ fault })),
    ...sessions.map((session) => withCalls(session, options.format.needsSeries)),
  ];
  return printReport(judged, options, { io, levels, series: true, clear: () => {}, leftOut: 0 });
}

/** A report that shows calls would be silent about a session without them. */
function withCalls(session: SessionSummary, needsSeries: boolean): Judged {
  if (!needsSeries || session.series !== undefined || session.calls === 0) return { found: session };
  const remedy = 'make its partial with ctxb replay --partial --series';
  return { fault: new CtxbError('unreadable-input', `${session.file} is there without its calls: ${remedy}`) };
}

import type { Io } from '../io.ts';
import { isMeant } from '../replay/filters.ts';
import { breachesOf, type Gates } from '../replay/gates.ts';
import type { Judged } from '../replay/replay-all.ts';
import { type SessionSummary, withoutSeries } from '../replay/summary.ts';
import { counted } from '../report/figures.ts';
import { type Outcome, openPage, type Page } from '../report/replay/format.ts';
import { breachText } from '../report/replay/verdicts.ts';
import { printable } from '../report/shown.ts';
import { createOutlet } from '../session/output/outlet.ts';
import { openExtraReports } from './extra-reports.ts';
import type { ReportOptions } from './report-options.ts';

/** Where a report goes, and how. */
interface Printing {
  readonly io: Io;
  readonly levels: Page['levels'];
  /** Calls are shown one by one; else they were only looked at. */
  readonly series: boolean;
  /** Called before anything is written to the terminal. */
  readonly clear: () => void;
  /** Sessions that the filters have left out already. */
  readonly leftOut: number;
}

const EXIT_UNREADABLE = 2;
const EXIT_UNWRITTEN = 2;
const EXIT_GATE = 3;

/**
 * Prints a report on sessions, and on stderr what could not be read and which gates were not passed.
 *
 * @returns the exit code
 */
export async function printReport(
  judged: AsyncIterable<Judged> | Iterable<Judged>,
  options: ReportOptions,
  { io, levels, series, clear, leftOut }: Printing,
): Promise<number> {
  const page = await openPage(io, levels);
  let unwritten: string | undefined;
  const lost = (error: NodeJS.ErrnoException) => {
    // A reader that went away is no fault.
    if (error.code !== 'EPIPE') unwritten = `stdout cannot be written: ${error.message}`;
  };
  const outlet = createOutlet(io.stdout, lost, clear);
  const print = (text: string) => {
    if (text !== '') outlet.write(text);
  };
  const say = (message: string) => {
    clear();
    io.stderr.write(`ctxb: ${printable(message)}\n`);
  };
  const extras = await openExtraReports(options, io, page, say);
  const report = (await options.format.load())(page);
  const isGated = Object.values(options.gates).some((limit) => limit !== undefined);
  const outcome = { faults: [] as string[], breaches: [] as string[] };
  let [left, meant, held] = [leftOut, 0, 0];

  const take = (session: SessionSummary) => {
    meant++;
    if (session.calls > 0) held++;
    outcome.breaches.push(...breachTexts(session, options.gates));
    print(report.session(series ? session : withoutSeries(session)));
    for (const extra of extras) extra.session(session);
  };

  for await (const each of judged) {
    if ('fault' in each) {
      outcome.faults.push(each.fault.message);
      say(each.fault.message);
    } else if (isMeant(each.found, options.filters)) take(each.found);
    else left++;
    await new Promise<void>((resume) => outlet.whenDrained(resume));
    // Nobody reads on.
    if (outlet.isGone && !isGated && extras.length === 0) break;
  }
  clear();
  if (held === 0) outcome.breaches.push(...vainTexts(outcome, isGated && !options.allowEmpty));
  // Without any session it would only say again that there is none.
  if (meant > 0 || outcome.faults.length === 0) print(report.end(outcome));
  await outlet.finish();
  for (const extra of extras) extra.end(outcome);
  if (meant === 0) filteredTexts(left).forEach(say);
  outcome.breaches.forEach(say);
  if (unwritten === undefined) return exitCodeOf(outcome);
  say(unwritten);
  return Math.max(exitCodeOf(outcome), EXIT_UNWRITTEN);
}

function filteredTexts(left: number): string[] {
  return left === 0 ? [] : [`none of ${counted(left, 'session')} is what --since, --project and --model ask for`];
}

/** Gates that were held against nothing would pass whatever was done. */
function vainTexts({ faults }: Outcome, needsSession: boolean): string[] {
  const remedy = 'name recordings that have some, or permit it with --allow-empty';
  return needsSession && faults.length === 0 ? [`no session with a call was held against the gates: ${remedy}`] : [];
}

function breachTexts(session: SessionSummary, gates: Gates): string[] {
  return breachesOf(session, gates).map((breach) => breachText(session, breach));
}

function exitCodeOf({ breaches, faults }: Outcome): number {
  if (breaches.length > 0) return EXIT_GATE;
  return faults.length > 0 ? EXIT_UNREADABLE : 0;
}

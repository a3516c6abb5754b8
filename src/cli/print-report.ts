import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CtxbError, messageOf } from '../errors.ts';
import type { Io } from '../io.ts';
import { breachesOf } from '../replay/gates.ts';
import type { Judged } from '../replay/replay.ts';
import { isMeant } from '../replay/selection.ts';
import { type SessionSummary, withoutSeries } from '../replay/summary.ts';
import { counted } from '../report/figures.ts';
import { HTML_MARK } from '../report/html.ts';
import { folded } from '../report/layout.ts';
import { type Outcome, openPage, type Page } from '../report/replay/format.ts';
import { CI_FORMAT } from '../report/replay/formats.ts';
import { breachText } from '../report/replay/verdicts.ts';
import { printable } from '../report/shown.ts';
import { createOutlet } from '../run/output/outlet.ts';
import { appendText } from '../store/files/given-file.ts';
import { requireFree, writePage } from '../store/files/write-file.ts';
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
  const page = await openPage(io, levels, options.list);
  let unwritten: string | undefined;
  const lost = (error: NodeJS.ErrnoException) => {
    // A reader that went away is no fault.
    if (error.code !== 'EPIPE') unwritten = `stdout cannot be written: ${error.message}`;
  };
  const outlet = createOutlet(io.stdout, lost, clear);
  const print = (text: string) => {
    if (text !== '') outlet.write(options.format.isData ? text : folded(text, io.stdout.columns));
  };
  const say = (message: string) => {
    clear();
    io.stderr.write(`ctxb: ${printable(message)}\n`);
  };
  const extras = await openExtraReports(options, io, page, say);
  const { format } = options;
  const { limit = Number.POSITIVE_INFINITY } = options.list;
  const report = (await format.load())(page);
  const isGated = Object.values(options.gates).some((limit) => limit !== undefined);
  const outcome = { faults: [] as string[], breaches: [] as string[] };
  let [left, meant, held] = [leftOut, 0, 0];

  const take = (session: SessionSummary) => {
    meant++;
    if (session.calls > 0) held++;
    outcome.breaches.push(...breachesOf(session, options.gates).map((breach) => breachText(session, breach)));
    if (format.isList || meant <= limit) print(report.session(series ? session : withoutSeries(session)));
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

/** Gates without a session to check would always pass. */
function vainTexts({ faults }: Outcome, needsSession: boolean): string[] {
  const remedy = 'name recordings that have some, or permit it with --allow-empty';
  return needsSession && faults.length === 0 ? [`the gates had no session with a call to check: ${remedy}`] : [];
}

function exitCodeOf({ breaches, faults }: Outcome): number {
  if (breaches.length > 0) return EXIT_GATE;
  return faults.length > 0 ? EXIT_UNREADABLE : 0;
}

/** A report that goes elsewhere than the one that is printed. */
interface ExtraReport {
  /** With its calls, where they were looked at. */
  session(session: SessionSummary): void;
  /** @throws CtxbError when it cannot be written */
  end(outcome: Outcome): void;
}

/** @param say tells the user what is no fault of the report itself */
async function openExtraReports(
  { ci, html }: Pick<ReportOptions, 'ci' | 'html'>,
  { env, cwd }: Io,
  page: Page,
  say: (message: string) => void,
): Promise<ExtraReport[]> {
  const extras: ExtraReport[] = [];
  if (ci && env.GITHUB_STEP_SUMMARY) extras.push(await openCiSummary(env.GITHUB_STEP_SUMMARY, page, say));
  if (html !== undefined) {
    extras.push(await openHtmlPage(resolve(cwd, html), page));
  }
  return extras;
}

async function openCiSummary(path: string, page: Page, say: (message: string) => void): Promise<ExtraReport> {
  const writer = (await CI_FORMAT.load())(page);
  return {
    session: writer.session,
    end(outcome) {
      try {
        appendText(path, `${writer.end(outcome)}\n`);
      } catch (error) {
        // The report itself is printed, and is what the job is judged by.
        say(messageOf(error));
      }
    },
  };
}

/** Where the build puts the page: commands and their parts are each one folder below the program. */
const TEMPLATE = new URL('../replay.html', import.meta.url);

/** The page of a replay, `--html FILE`. @throws CtxbError `usage` when there is another file */
async function openHtmlPage(path: string, { levels, list }: Page): Promise<ExtraReport> {
  const { createPageData, replayHtml } = await import('../report/replay-html/page-data.ts');
  requireFree(path, HTML_MARK);
  const page = createPageData({ policy: levels, sort: list.sort ?? 'newest' });
  return {
    session: page.add,
    end({ faults }) {
      const data = page.data();
      // Of a file that is no recording there is no report.
      if (data.sessions.length === 0 && faults.length > 0) return;
      writePage(path, replayHtml(readFileSync(TEMPLATE, 'utf8'), data), HTML_MARK);
    },
  };
}

const HOW_TO_RECORD = 'claude writes them with --output-format stream-json --verbose';

/**
 * Leaves out files that claude has not written, such as its answer as text. One that was named is a fault, as it is not
 * what it was taken for; of others in a folder only their number is told.
 *
 * @param named paths as they were given
 * @param tell called at the end, where others were left out
 */
export async function* onlyRecordings(
  judged: AsyncIterable<Judged> | Iterable<Judged>,
  named: readonly string[],
  tell: (leftOut: number) => void,
): AsyncGenerator<Judged> {
  let leftOut = 0;
  for await (const each of judged) {
    if ('fault' in each || !isForeign(each.found)) yield each;
    else if (named.includes(each.found.file)) yield { fault: foreign(each.found.file) };
    else leftOut++;
  }
  if (leftOut > 0) tell(leftOut);
}

function isForeign({ lines: { total, malformed, unknown } }: SessionSummary): boolean {
  return total > 0 && malformed + unknown === total;
}

function foreign(file: string): CtxbError {
  const name = file === '-' ? 'stdin' : file;
  return new CtxbError('unreadable-input', `${name}: no line of it is claude's: ${HOW_TO_RECORD}`);
}

import { resolve } from 'node:path';
import type { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { isMeant } from '../replay/filters.ts';
import { breachesOf } from '../replay/gates.ts';
import type { Judged } from '../replay/replay-all.ts';
import { type SessionSummary, withoutSeries } from '../replay/summary.ts';
import { counted } from '../report/figures.ts';
import { breachText } from '../report/replay/breach-text.ts';
import type { Page, ReportWriter } from '../report/replay/format.ts';
import { CI_FORMAT } from '../report/replay/formats.ts';
import { openPage } from '../report/replay/open-page.ts';
import { whatIfCurves } from '../report/replay-html/what-if-curves.ts';
import { printable } from '../report/style.ts';
import { createOutlet } from '../session/outlet.ts';
import { appendText } from '../store/append-text.ts';
import type { ReplayPage } from './replay-page.ts';
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
const EXIT_GATE = 3;

/**
 * Prints a report on sessions, and on stderr what could not be read and which gates were not passed.
 *
 * @returns the exit code
 */
export async function printReport(
  judged: AsyncIterable<Judged> | Iterable<Judged>,
  { format, ci, html, gates, filters }: ReportOptions,
  { io, levels, series, clear, leftOut }: Printing,
): Promise<number> {
  const page = await openPage(io, levels);
  const summary = ci ? await openCiSummary(io, page) : undefined;
  const charts = html === undefined ? undefined : await openCharts(resolve(io.cwd, html), levels);
  const report = (await format.load())(page);
  const outlet = createOutlet(io.stdout, () => {}, clear);
  const outcome = { faults: [] as string[], breaches: [] as string[] };
  const isJudge = Object.values(gates).some((limit) => limit !== undefined);
  let left = leftOut;
  let meant = 0;

  const say = (message: string) => {
    clear();
    io.stderr.write(`ctxb: ${printable(message)}\n`);
  };
  const take = (session: SessionSummary) => {
    meant++;
    outcome.breaches.push(...breachesOf(session, gates).map((breach) => breachText(session, breach)));
    const shown = series ? session : withoutSeries(session);
    outlet.write(report.session(shown));
    summary?.session(shown);
    charts?.session(session);
  };
  const fail = ({ message }: CtxbError) => {
    outcome.faults.push(message);
    say(message);
  };

  for await (const each of judged) {
    if ('fault' in each) fail(each.fault);
    else if (isMeant(each.found, filters)) take(each.found);
    else left++;
    await new Promise<void>((resume) => outlet.whenDrained(resume));
    // Nobody reads on; a gate is judged all the same.
    if (outlet.isGone && !isJudge && charts === undefined) break;
  }
  outlet.write(report.end(outcome));
  await outlet.finish();
  summary?.end(outcome);
  charts?.write();
  if (meant === 0 && left > 0)
    say(`none of ${counted(left, 'session')} is what --since, --project and --model ask for`);
  outcome.breaches.forEach(say);
  if (outcome.breaches.length > 0) return EXIT_GATE;
  return outcome.faults.length > 0 ? EXIT_UNREADABLE : 0;
}

async function openCharts(path: string, levels: Page['levels']): Promise<ReplayPage> {
  const { createReplayPage } = await import('./replay-page.ts');
  return createReplayPage(path, { policy: levels, curvesOf: whatIfCurves });
}

/** The Markdown of a CI job, where it wants one. */
async function openCiSummary({ env, stderr }: Io, page: Page): Promise<ReportWriter | undefined> {
  const path = env.GITHUB_STEP_SUMMARY;
  if (path === undefined || path === '') return undefined;
  const writer = (await CI_FORMAT.load())(page);
  return {
    session: writer.session,
    end(outcome) {
      try {
        appendText(path, `${writer.end(outcome)}\n`);
      } catch (error) {
        // The report itself is printed, and says what the job is to be judged by.
        stderr.write(`ctxb: ${printable(error instanceof Error ? error.message : String(error))}\n`);
      }
      return '';
    },
  };
}

import type { Io } from '../io.ts';
import { isMeant } from '../replay/filters.ts';
import { breachesOf, type Gates } from '../replay/gates.ts';
import type { Judged } from '../replay/replay-all.ts';
import type { SessionSummary } from '../replay/summary.ts';
import { counted } from '../report/figures.ts';
import { breachText } from '../report/replay/breach-text.ts';
import type { Outcome, Page, ReportWriter } from '../report/replay/format.ts';
import { CI_FORMAT } from '../report/replay/formats.ts';
import { openPage } from '../report/replay/open-page.ts';
import { printable } from '../report/style.ts';
import { createOutlet } from '../session/outlet.ts';
import { appendText } from '../store/append-text.ts';
import type { ReportOptions } from './report-options.ts';

/** Where a report goes, and how. */
interface Printing {
  readonly io: Io;
  readonly levels: Page['levels'];
  /** Calls one by one are left out of it: they were only looked at. */
  readonly withoutSeries: boolean;
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
  { format, ci, gates, filters }: ReportOptions,
  { io, levels, withoutSeries, clear, leftOut }: Printing,
): Promise<number> {
  const page = await openPage(io, levels);
  const outlet = createOutlet(io.stdout, () => {}, clear);
  const say = (message: string) => {
    clear();
    io.stderr.write(`ctxb: ${printable(message)}\n`);
  };
  const report = (await format.load())(page);
  const writers = ci ? [report, await openCiSummary(io, page, say)] : [report];
  // What one of them has to say goes to stdout; the summary of a CI job goes its own way.
  const print = (write: (writer: ReportWriter) => string) => {
    const text = writers.map(write).join('');
    if (text !== '') outlet.write(text);
  };
  const outcome = { faults: [] as string[], breaches: [] as string[] };
  let [left, meant] = [leftOut, 0];

  for await (const each of judged) {
    if ('fault' in each) {
      outcome.faults.push(each.fault.message);
      say(each.fault.message);
    } else if (isMeant(each.session, filters)) {
      meant++;
      outcome.breaches.push(...breachTexts(each.session, gates));
      const shown = withoutSeries ? briefly(each.session) : each.session;
      print((writer) => writer.session(shown));
    } else left++;
    await new Promise<void>((resume) => outlet.whenDrained(resume));
    if (outlet.isGone && !isJudging(gates)) break;
  }
  clear();
  print((writer) => writer.end(outcome));
  await outlet.finish();
  if (meant === 0 && left > 0)
    say(`none of ${counted(left, 'session')} is what --since, --project and --model ask for`);
  outcome.breaches.forEach(say);
  return exitCodeOf(outcome);
}

/** Nobody may read the report any more: a gate is judged all the same. */
function isJudging(gates: Gates): boolean {
  return Object.values(gates).some((limit) => limit !== undefined);
}

function exitCodeOf({ breaches, faults }: Outcome): number {
  if (breaches.length > 0) return EXIT_GATE;
  return faults.length > 0 ? EXIT_UNREADABLE : 0;
}

function breachTexts(session: SessionSummary, gates: Gates): string[] {
  return breachesOf(session, gates).map((breach) => breachText(session, breach));
}

/** The Markdown of a CI job, where there is one. It prints nothing. */
async function openCiSummary({ env }: Io, page: Page, say: (message: string) => void): Promise<ReportWriter> {
  const path = env.GITHUB_STEP_SUMMARY ?? '';
  const writer = (await CI_FORMAT.load())(page);
  return {
    session: writer.session,
    end(outcome) {
      try {
        if (path !== '') appendText(path, `${writer.end(outcome)}\n`);
      } catch (error) {
        // The report itself is printed, and is what the job is judged by.
        say(error instanceof Error ? error.message : String(error));
      }
      return '';
    },
  };
}

function briefly({ series: _, prompts: __, results: ___, ...session }: SessionSummary): SessionSummary {
  return session;
}

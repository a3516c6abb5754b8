import { resolve } from 'node:path';
import { messageOf } from '../errors.ts';
import type { Io } from '../io.ts';
import type { SessionSummary } from '../replay/summary.ts';
import type { Outcome, Page } from '../report/replay/format.ts';
import { CI_FORMAT } from '../report/replay/formats.ts';
import { appendText } from '../store/files/append-text.ts';
import type { ReportOptions } from './report-options.ts';

/** A report that goes elsewhere than the one that is printed. */
export interface ExtraReport {
  /** With its calls, where they were looked at. */
  session(session: SessionSummary): void;
  /** @throws CtxbError when it cannot be written */
  end(outcome: Outcome): void;
}

/** @param say tells the user what is no fault of the report itself */
export async function openExtraReports(
  { ci, html }: Pick<ReportOptions, 'ci' | 'html'>,
  { env, cwd }: Io,
  page: Page,
  say: (message: string) => void,
): Promise<ExtraReport[]> {
  const summary = ci ? env.GITHUB_STEP_SUMMARY : undefined;
  return [
    ...(summary ? [await openCiSummary(summary, page, say)] : []),
    ...(html === undefined ? [] : [await openCharts(resolve(cwd, html), page)]),
  ];
}

async function openCharts(path: string, { levels }: Page): Promise<ExtraReport> {
  const { createReplayPage } = await import('./replay-page.ts');
  return createReplayPage(path, { policy: levels });
}

/** The Markdown of a CI job. */
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

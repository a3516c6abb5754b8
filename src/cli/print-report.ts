import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Io } from '../io.ts';
import { isFull, newestFirst, type SessionFigures, type SessionSummary } from '../replay/summary.ts';
import { counted, tokens } from '../report/figures.ts';
import { HTML_MARK } from '../report/html.ts';
import { foldText } from '../report/layout.ts';
import type { Outcome, Page } from '../report/replay/format.ts';
import { breachesOf, isGated } from '../report/replay/gates.ts';
import { createOutlet } from '../run/output/outlet.ts';
import { requireFolder, requireWritablePage, writePage } from '../store/files/write-file.ts';
import type { FoundSources } from './replay-sources.ts';
import type { ReplayOptions } from './report-options.ts';

interface Printing {
  readonly io: Io;
  readonly page: Page;
  readonly writeHtml: Awaited<ReturnType<typeof openHtmlPage>>;
  readonly say: (message: string) => void;
  /** Clears the progress display. Called before each write to the terminal. */
  readonly clear: () => void;
  readonly filterText?: string | undefined;
}

const EXIT_UNREADABLE = 2;
const EXIT_UNWRITTEN = 2;
const EXIT_GATE = 3;

const CHUNK = 65_536;

/** Prints a report, and the failed gates on stderr. */
export async function printReport(
  { sessions, faults, leftOut }: FoundSources,
  options: ReplayOptions,
  { io, page, writeHtml, filterText = 'is as new as --since', say, clear }: Printing,
): Promise<number> {
  const { format } = options;
  const failing = sessions.map((session) => breachesOf(session, options));
  const outcome = {
    faults,
    breaches: [...failing.flat(), ...emptyGateMessages(sessions, faults, isGated(options))],
  };
  // Without sessions, a text report would only repeat the message.
  const isEmpty = sessions.length === 0 && (faults.length > 0 || !format.isData);
  const lines = isEmpty ? [] : format.report(sessions, page, outcome);
  const unwritten = await print(lines, format.isData ? undefined : io.stdout.columns, io, clear);
  writeHtml(sessions.filter(isFull), outcome);
  if (sessions.length === 0 && leftOut > 0) say(`none of ${counted(leftOut, 'session')} ${filterText}`);
  if (isGated(options))
    verdictTexts(sessions, failing.filter((texts) => texts.length > 0).length, outcome).forEach(say);
  if (unwritten === undefined) return exitCodeOf(outcome);
  say(unwritten);
  return Math.max(exitCodeOf(outcome), EXIT_UNWRITTEN);
}

/** Prints lines to stdout. @returns the reason why they could not be printed */
async function print(
  lines: Iterable<string>,
  columns: number | undefined,
  { stdout }: Io,
  clear: () => void,
): Promise<string | undefined> {
  let unwritten: string | undefined;
  const onWriteError = (error: NodeJS.ErrnoException) => {
    // A closed reader is not an error.
    if (error.code !== 'EPIPE') unwritten = `stdout cannot be written: ${error.message}`;
  };
  const outlet = createOutlet(stdout, onWriteError, clear);
  let chunk = '';
  for (const line of lines) {
    chunk += `${foldText(line, columns)}\n`;
    if (chunk.length < CHUNK) continue;
    outlet.write(chunk);
    chunk = '';
    await new Promise<void>((resume) => outlet.whenDrained(resume));
    // The reader has closed stdout.
    if (outlet.isGone) break;
  }
  if (chunk !== '') outlet.write(chunk);
  await outlet.finish();
  return unwritten;
}

function verdictTexts(
  sessions: readonly SessionFigures[],
  failed: number,
  { breaches, faults }: Outcome,
): readonly string[] {
  const all = counted(sessions.length, 'session');
  if (failed > 0)
    return [`${tokens(failed)} of ${all} ${failed === 1 ? 'does' : 'do'} not pass the gates:`, ...breaches];
  return breaches.length > 0 || faults.length > 0 || sessions.length === 0 ? breaches : [`gates passed: ${all}`];
}

/** The failure of gates without a session to check, which would otherwise always pass. */
function emptyGateMessages(
  sessions: readonly SessionFigures[],
  faults: FoundSources['faults'],
  needsSession: boolean,
): string[] {
  if (!needsSession || faults.length > 0 || sessions.some(({ calls }) => calls > 0)) return [];
  return ['the gates had no session with a call to check: name recordings that have some'];
}

function exitCodeOf({ breaches, faults }: Outcome): number {
  if (breaches.length > 0) return EXIT_GATE;
  return faults.length > 0 ? EXIT_UNREADABLE : 0;
}

/** The build puts the page here. Commands and their parts are one folder below the program. */
const TEMPLATE = new URL('../replay.html', import.meta.url);

/** Writes the page of `--html FILE`, if requested. @throws CtxbError `usage` when the path holds another file */
export async function openHtmlPage(
  { html }: ReplayOptions,
  { levels }: Page,
  { cwd }: Io,
  say: (message: string) => void,
): Promise<(sessions: readonly SessionSummary[], outcome: Outcome) => void> {
  if (html === undefined) return () => {};
  const path = resolve(cwd, html);
  const { pageData, replayHtml } = await import('../report/replay-html/page-data.ts');
  requireWritablePage(path, HTML_MARK);
  requireFolder(path);
  return (sessions, { faults }) => {
    // Without any recording, the page would be empty.
    if (sessions.length === 0 && faults.length > 0) return;
    const data = pageData(newestFirst(sessions), levels);
    writePage(path, replayHtml(readFileSync(TEMPLATE, 'utf8'), data), HTML_MARK);
    say(`page: ${path}`);
  };
}

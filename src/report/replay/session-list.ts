import { basename } from 'node:path';
import { modelName } from '../../core/protocol/model-name.ts';
import { isFull, newestFirst, type SessionFigures, type SummedFigures } from '../../replay/summary.ts';
import { dateOf, type Sum, sumsBy } from '../../replay/sums.ts';
import { ownFigures, type Totals, totalOf, totalsOf } from '../../replay/totals.ts';
import { costText, counted, NO_VALUE, percent, tokens } from '../figures.ts';
import { columnsOf, fitText, padText, presentLines } from '../layout.ts';
import { onOneLine } from '../printable.ts';
import { type Page, type Report, shownSessions, unlistedRows } from './format.ts';
import { missingDataRows, sessionRows } from './session-rows.ts';

/** A text column, which is cut on a narrow page; figures never are. */
interface TextColumn {
  /** Cutting keeps the last parts of a path. */
  readonly isPath?: boolean;
  readonly maxWidth?: number;
  readonly takesRest?: boolean;
}

type Row = Readonly<Record<string, string>>;

/** Minimum page widths, without ids: for compactions in sums, for projects, for models, and for times. */
const [ROOM_FOR_COMPACTIONS, ROOM_FOR_PROJECTS, ROOM_FOR_MODELS, WIDE] = [44, 60, 72, 120];

/** Minimum width of the `takesRest` column on a terminal, which omits a narrower one, and in other outputs. */
const [MIN_REST, MIN_REST_IN_FILE] = [10, 7];

const GAP = '  ';

export const text: Report<SessionFigures> = (sessions, page) => {
  const [only, other] = sessions;
  return only && !other && isFull(only) ? sessionRows(only) : sessionList(sessions, page);
};

function sessionList(sessions: readonly SessionFigures[], page: Page): string[] {
  const shown = shownSessions(newestFirst(sessions), page);
  const totals = totalsOf(sessions);
  const ids = page.list.ids ? shown.map(({ sessionId, file }) => onOneLine(sessionId ?? basename(file))) : [];
  const room = page.columns - Math.max(0, ...ids.map(columnsOf));
  const isWide = room >= WIDE;
  const projects = shortPaths(shown.map(({ project, file }) => project ?? file.split('/').slice(0, -1).join('/')));
  const showsProjects = room >= ROOM_FOR_PROJECTS;
  const dates = datesOf(shown, isWide, !showsProjects);
  const showsCopies = isWide && totals.copiedCalls > 0;
  const figures = (sums: Totals) => ({ ...(showsCopies && { copied: tokens(sums.copiedCalls) }), ...figuresOf(sums) });
  const rows = shown.map((session, index) => ({
    ...(showsProjects && { project: projects[index] }),
    date: dates[index],
    ...(page.list.ids && { session: ids[index] }),
    'first prompt': promptOf(session),
    ...(room >= ROOM_FOR_MODELS && { model: modelText(session.model) }),
    ...figures(totalsOf([session])),
  }));
  const texts = { ...PROMPTS, project: { isPath: true, maxWidth: isWide ? 28 : 10 }, model: { maxWidth: 18 } };
  return [
    ...table(rows, figures(totals), counted(sessions.length, 'session'), page, texts),
    ...unlistedRows(sessions.length, page),
    ...copiedRows(totals),
    ...unknownWindowRows(sessions),
    ...missingDataRows(sessions),
    // On a terminal only.
    ...presentLines(page.edge < Number.POSITIVE_INFINITY && FOOTER),
  ];
}

const FOOTER = '  More: --detail (each turn), --ids, --html FILE (charts), --by day (sums).';

const PROMPTS = { 'first prompt': { takesRest: true } };

export function promptTable<Session extends SessionFigures>(
  sessions: readonly Session[],
  figures: (session: Session) => Row,
  totals: Row,
  page: Page,
): string[] {
  const rows = shownSessions(sessions, page).map((session) => ({
    'first prompt': promptOf(session),
    ...figures(session),
  }));
  const lines = rows.length === 0 ? [] : table(rows, totals, counted(sessions.length, 'session'), page, PROMPTS);
  return [...lines, ...unlistedRows(sessions.length, page)];
}

export function unknownWindows(sessions: readonly SessionFigures[]): number {
  return sessions.filter(({ window, calls }) => window.tokens === null && calls > 0).length;
}

function unknownWindowRows(sessions: readonly SessionFigures[]): string[] {
  const unknown = unknownWindows(sessions);
  return presentLines(unknown > 0 && `  The window of ${counted(unknown, 'session')} is unknown: --window sets it.`);
}

export const sums: Report<SessionFigures> = (sessions, page) => {
  const { by = 'day', limit, since } = page.list;
  const all = sumsBy(sessions, by, since);
  const rows = all.slice(0, limit);
  const isSummed = (session: SessionFigures) => since === undefined || sumsBy([session], by, since).length > 0;
  const summed = sessions.filter(isSummed);
  const totals = { ...totalsOf(summed), ...totalOf(all) };
  const whole = rows.map(({ name }) => name ?? '');
  const names = by === 'project' ? shortPaths(whole) : whole.map(onOneLine);
  const figures = ({ sessions, ...counts }: SummedFigures & Pick<Sum, 'sessions'>) => {
    const { 'comp.': compactions, ...others } = countsOf(counts);
    const isWide = page.edge >= ROOM_FOR_COMPACTIONS;
    return { sessions: tokens(sessions), ...(isWide && { 'comp.': compactions }), ...others };
  };
  const cells = rows.map((row, index) => ({ [by]: names[index] || NO_VALUE, ...figures(row) }));
  return [
    ...table(cells, figures(totals), counted(all.length, by), page, { [by]: { isPath: true, takesRest: true } }),
    ...unlistedRows(all.length, page),
    ...copiedRows(totals),
    ...missingDataRows(summed),
  ];
};

export function figuresOf(totals: Totals) {
  const { peakFraction: peak } = totals;
  return { peak: peak === null ? NO_VALUE : percent(peak), ...countsOf(totals) };
}

function countsOf(counts: SummedFigures) {
  return { 'comp.': tokens(counts.compactions), calls: tokens(counts.calls), cost: costText(counts) };
}

function lastParts(path: string, width: number): string {
  const parts = path.split('/');
  while (parts.length > 1 && columnsOf(parts.join('/')) > width) parts.shift();
  return fitText(parts.join('/'), width, 'end');
}

/**
 * A table of sessions or groups.
 * @param totals the figures of all rows; other columns have texts
 * @param label spans the columns with texts
 */
function table(
  rows: readonly Partial<Row>[],
  totals: Row,
  label: string,
  { style, ...page }: Page,
  options: Readonly<Record<string, TextColumn>>,
): string[] {
  const all = Object.keys({ ...(rows[0] ?? options), ...totals }).map((heading) => {
    const { maxWidth = Number.POSITIVE_INFINITY, ...option } = options[heading] ?? {};
    const texts = [heading, ...rows.map((row) => row[heading] ?? ''), totals[heading] ?? ''];
    const width = Math.min(maxWidth, Math.max(...texts.map(columnsOf)));
    return { ...option, texts, width, isFigure: heading in totals };
  });
  const left = all.reduce((room, { takesRest, width }) => room - (takesRest ? 0 : width + GAP.length), page.columns);
  // The first column identifies the row, so it always stays.
  const columns = all.filter(
    ({ takesRest }, index) => !takesRest || index === 0 || left >= MIN_REST || page.columns < page.edge,
  );
  for (const each of columns) if (each.takesRest) each.width = Math.min(each.width, Math.max(MIN_REST_IN_FILE, left));
  const names = columns.filter(({ isFigure }) => !isFigure);
  const totalWidth = (some: typeof columns) => some.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length);
  const [first] = columns;
  const more = Math.min(columnsOf(label) - totalWidth(names), page.edge - totalWidth(columns));
  if (first !== undefined) first.width += Math.max(0, more);
  const cellOf = ({ texts, width, isFigure, isPath }: (typeof columns)[number], row: number) => {
    const text = texts[row] ?? '';
    if (isFigure) return text.padStart(width);
    return padText(isPath ? lastParts(text, width) : fitText(text, width), width);
  };
  const lineOf = (row: number, some = columns) => some.map((column) => cellOf(column, row)).join(GAP);
  const end = padText(fitText(label, totalWidth(names)), totalWidth(names));
  const sum = end + GAP + lineOf(rows.length + 1, columns.slice(names.length));
  return [
    style.bold(lineOf(0)),
    ...rows.map((_, index) => lineOf(index + 1)),
    style.dim('─'.repeat(Math.min(columnsOf(sum), page.edge))),
    style.bold(sum),
  ];
}

function copiedRows({ copiedCalls }: Totals): string[] {
  return presentLines(
    copiedCalls > 0 &&
      `  ${counted(copiedCalls, 'call')} copied into other sessions (forked or resumed); each counts once.`,
  );
}

/** End dates of the sessions, short like those of `ls`: without the time on a narrow page, and for an earlier year. */
function datesOf(sessions: readonly SessionFigures[], isWide: boolean, isShort: boolean): string[] {
  const newest = new Date(Math.max(...sessions.map(({ time }) => time.last ?? 0))).getFullYear();
  return sessions.map(({ time: { last } }) => {
    if (last === null) return NO_VALUE;
    // `Sun Nov 22 2026 18:05:09 …`, faster than formatting for a locale.
    const [, month, day, year = '', time = ''] = String(new Date(last)).split(' ');
    const minute = time.slice(0, 'HH:MM'.length);
    if (isWide) return `${dateOf(last)} ${minute}`;
    if (Number(year) !== newest) return isShort ? `${month} ${year}` : dateOf(last);
    return isShort ? `${month} ${day}` : `${month} ${day} ${minute}`;
  });
}

/** The first prompt, or the file name: a recording of claude's output alone contains no prompt. */
function promptOf(session: SessionFigures): string {
  const { prompt, file, copied } = session;
  const isCopy = copied !== undefined && ownFigures(session).calls === 0;
  return (isCopy ? 'copy: ' : '') + onOneLine(prompt ?? basename(file));
}

/** `claude-opus-4-5-20251101` → `opus-4-5` */
function modelText(model: string | null): string {
  return model === null ? NO_VALUE : onOneLine(modelName(model)).replace(/^claude-/, '');
}

const WINDOWS_PATH = /^(?:[a-z]:)?\\/i;

/** Paths relative to their common parent folder. */
export function shortPaths(paths: readonly string[]): string[] {
  const names = paths.map((path) => onOneLine(WINDOWS_PATH.test(path) ? path.replaceAll('\\', '/') : path));
  const folders = [...new Set(names)].map((name) => name.split('/').slice(0, -1));
  const [first = []] = folders;
  let common = 0;
  while (common < first.length && folders.every((folder) => folder[common] === first[common])) common++;
  // The root of absolute paths does not count as a common folder.
  const from = common === 1 && first[0] === '' ? 0 : common;
  return names.map((name) => name.split('/').slice(from).join('/'));
}

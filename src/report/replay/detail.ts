import { zoneAt } from '../../core/governor/zones/zones.ts';
import { sumOf } from '../../core/text/sum-of.ts';
import type { RecordedCall, RecordedSubagent } from '../../replay/recorded-items.ts';
import type { SessionSummary } from '../../replay/summary.ts';
import { sumByName } from '../../replay/totals.ts';
import { counted, dollars, shareOf, tokens } from '../figures.ts';
import { fitText, presentLines } from '../layout.ts';
import { onOneLine } from '../printable.ts';
import { ZONE_COLORS } from '../style.ts';
import { type Page, type Report, shownSessions } from './format.ts';
import { actionRow, closingRows, compactionRow, decisionsWithRow, originRows } from './session-rows.ts';

/** Sources of growth listed by name; the rest are summed as "others". */
const MAX_SOURCES = 6;

const INDENT = '    ';

export const detail: Report = function* (sessions, page) {
  for (const [at, session] of shownSessions(sessions, page).entries())
    yield* [...(at === 0 ? [] : ['']), ...timelineOf(session, page)];
};

/** Splits the calls at the end of each turn and at each compaction. */
function timelineOf(session: SessionSummary, page: Page): string[] {
  const { series = [], compactions, subagents } = session;
  const events = [
    ...decisionsWithRow(session).map((action) => ({ call: action.at.call, row: actionRow(action, session) })),
    ...subagents.map((agent) => ({ call: callsBefore(agent, series), row: subagentRow(agent, page) })),
    ...compactions.map((compaction) => ({ call: compaction.call, row: compactionRow(compaction) })),
  ];
  const rowsOf = (from: number, to: number) =>
    events.filter(({ call }) => call >= from && call <= to).map(({ row }) => row);
  const ends = series.filter(
    ({ turn, number }) => series[number]?.turn !== turn || compactions.some(({ call }) => call === number),
  );
  return [
    ...originRows(session),
    ...rowsOf(0, ends.length === 0 ? Number.POSITIVE_INFINITY : 0),
    ...ends.flatMap((last, index) => {
      const since = ends[index - 1];
      const { number: start = 0 } = since ?? {};
      const calls = series.slice(start, last.number);
      return [...segmentRows(calls, since, last, session, page), ...rowsOf(start + 1, last.number)];
    }),
    ...closingRows(session),
  ];
}

/** The rows of a segment: at least one call, without a compaction between them. @param since the call before them */
function segmentRows(
  calls: readonly RecordedCall[],
  since: RecordedCall | undefined,
  last: RecordedCall,
  session: SessionSummary,
  page: Page,
): string[] {
  const prompts = session.prompts?.filter(({ line }) => line > (since?.line ?? 0) && line <= last.line) ?? [];
  const growth = growthText(sumByName(calls.flatMap(({ added }) => Object.entries(added))));
  const name = page.style.bold(`turn ${last.turn}`) + (since?.turn === last.turn ? ' continues' : '');
  return [
    `  ${name}: ${counted(calls.length, 'call')}, ${contextText(calls[0] ?? last, last, session, page)}`,
    ...prompts.map(({ text }) => fitText(`${INDENT}prompt    ${onOneLine(text)}`, page.columns)),
    ...presentLines(growth !== '' && `${INDENT}grew by   ${growth}`),
  ];
}

/** A stream reports its window only with the first result, so earlier calls use the session's window. */
function contextText(
  first: RecordedCall,
  last: RecordedCall,
  session: SessionSummary,
  { levels, style }: Page,
): string {
  const window = last.window ?? session.window.tokens;
  const share = style[ZONE_COLORS[zoneAt(last.context, window ?? undefined, levels)]](shareOf(last.context, window));
  const from = first === last ? '' : `${tokens(first.context)} → `;
  return `${from}${tokens(last.context)} (${share})`;
}

/** `Read 14,413, answer 942` */
function growthText(growth: ReadonlyMap<string, number>): string {
  const sorted = [...growth].sort(([, a], [, b]) => b - a);
  const rest = sumOf(sorted.slice(MAX_SOURCES), ([, more]) => more);
  const named = sorted.slice(0, MAX_SOURCES).map(([source, more]) => `${onOneLine(source)} ${tokens(more)}`);
  return presentLines(...named, rest > 0 && `others ${tokens(rest)}`).join(', ');
}

/** The number of calls before a subagent started, by time if both logs have times: a subagent can have its own log. */
function callsBefore({ t = null, call = 0 }: RecordedSubagent, series: readonly RecordedCall[]): number {
  if (t === null || series.some((seen) => seen.t === null)) return call;
  return series.filter((seen) => (seen.t ?? 0) <= t).length;
}

function subagentRow({ id, kind, task, calls, peak, usd, estimated }: RecordedSubagent, { columns }: Page): string {
  const about = estimated ? 'about ' : '';
  const figures = `${about}${counted(calls, 'call')}, peak ${tokens(peak)}, ${usd === null ? 'no price' : dollars(usd)}`;
  const name = kind === null ? '' : `${onOneLine(kind)}, `;
  return fitText(`${INDENT}subagent  ${name}${figures}: ${onOneLine(task || id)}`, columns);
}

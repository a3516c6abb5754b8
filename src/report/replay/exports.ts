import { ownFigures, sumUsd, totalsOf } from '../../replay/copies.ts';
import type { CallSeen } from '../../replay/items-seen.ts';
import type { SessionFigures, SessionSummary } from '../../replay/summary.ts';
import { replayReport } from '../../replay/sums.ts';
import { counted } from '../figures.ts';
import { onOneLine, printableJson } from '../shown.ts';
import { listed, type Report } from './format.ts';
import { figuresOf, shortPaths } from './session-list.ts';

export const json: Report = (sessions, page) => {
  const report = replayReport(sessions, page.list.by, page.list.since);
  return [printableJson({ ...report, sessions: listed(report.sessions, page) }, 2)];
};

/** One JSON line for each call of the main thread, flat, with the same keys in every line. */
export const ndjson: Report = function* (sessions, page) {
  for (const session of listed(sessions, page)) yield* callLines(session.series ?? [], session);
};

export function callLines(calls: readonly CallSeen[], session: SessionSummary): string[] {
  return calls.map((call) => printableJson(callRow(call, session)));
}

/**
 * A call as a flat row. Figures are tokens unless the name says otherwise. `compacted_by` names the initiator of a compaction since then.
 */
function callRow(call: CallSeen, { file, sessionId, project, compactions }: SessionSummary) {
  return {
    file,
    session: sessionId,
    project,
    model: call.model,
    time: isoTime(call.t),
    turn: call.turn,
    call: call.number,
    line: call.line,
    message: call.messageId,
    window: call.window,
    context: call.context,
    input: call.input,
    cache_creation: call.cacheCreation,
    cache_read: call.cacheRead,
    output: call.output,
    output_known: call.outputKnown,
    predicted: call.predicted,
    cost_usd: call.usd,
    copied: call.copied === true,
    compacted_by: compactions.findLast(({ call: before }) => before === call.number - 1)?.by ?? null,
  };
}

/** One row per session, as in RFC 4180. */
export const csv: Report = (sessions, page) => {
  const rows = listed(sessions, page).map(csvRow);
  return [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))].map(csvLine);
};

/** null if unknown. */
type Figure = string | number | boolean | null;

function csvLine(figures: readonly Figure[]): string {
  return `${figures.map(cell).join(',')}\r`;
}

function cell(figure: Figure): string {
  if (typeof figure !== 'string') return figure === null ? '' : String(figure);
  // A quote keeps a spreadsheet from running the text as a formula.
  const text = onOneLine(figure).replace(/^[=+\-@]/, "'$&");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The columns in their order; also without sessions. */
const COLUMNS = [
  ...(['file', 'session', 'project', 'model', 'claude_code_version', 'first', 'last', 'window'] as const),
  ...(['window_source', 'context_peak', 'context_peak_fraction', 'turns', 'calls', 'compactions'] as const),
  ...(['compactions_unplanned', 'cost_usd', 'cost_computed', 'cost_incomplete', 'cost_unseen_usd'] as const),
  ...(['input', 'cache_creation', 'cache_read', 'output', 'subagents', 'subagents_usd'] as const),
  ...(['calls_copied', 'lines', 'lines_malformed'] as const),
];

/**
 * A session as one flat row. Figures are tokens unless the name says otherwise: `cost_usd` is in US dollars, times are
 * ISO 8601 in UTC, `compactions_unplanned` counts compactions that claude started itself. Calls, compactions, tokens
 * and cost exclude what is copied from another session, so that sums over rows count it once.
 */
function csvRow(session: SessionSummary) {
  const { file, project, model, window, context, turns, compactions, cost, subagents, copied, lines } = session;
  const own = ownFigures(session);
  const { main } = session.traffic;
  return {
    file,
    session: session.sessionId,
    project,
    model,
    claude_code_version: session.claudeCodeVersion,
    first: isoTime(session.time.first),
    last: isoTime(session.time.last),
    window: window.tokens,
    window_source: window.source,
    context_peak: context.peak,
    context_peak_fraction: context.peakFraction,
    turns,
    calls: own.calls,
    compactions: own.compactions,
    compactions_unplanned: compactions.filter(({ by, copied }) => by === 'claude' && !copied).length,
    cost_usd: own.usd,
    cost_computed: cost.computed,
    cost_incomplete: own.usdPartial === true,
    cost_unseen_usd: cost.unseen ?? 0,
    input: main.input,
    cache_creation: main.cacheCreation,
    cache_read: main.cacheRead,
    output: main.output,
    subagents: subagents.length,
    subagents_usd: sumUsd(subagents.map(({ usd }) => usd)) ?? 0,
    calls_copied: copied?.calls ?? 0,
    lines: lines.total,
    lines_malformed: lines.malformed,
  };
}

/** @param t milliseconds since the epoch; null if unknown. Returns null if the time is outside the range of a Date */
function isoTime(t: number | null): string | null {
  return t === null || !(Math.abs(t) <= 8.64e15) ? null : new Date(t).toISOString();
}

/** A table for a pull request or a CI job summary. */
export const markdown: Report<SessionFigures> = (sessions, page, { breaches, faults }) => {
  const shown = listed(sessions, page);
  const names = shortPaths(shown.map(({ file }) => file));
  const rows = shown.map((session, index) => [markdownCell(names[index] ?? ''), ...cellsOf([session])]);
  if (sessions.length > 1) rows.push([`**${counted(sessions.length, 'session')}**`, ...cellsOf(sessions)]);
  const parts = [
    '### Context of Claude Code',
    ...bulletList('Gates that were not passed:', breaches),
    ...bulletList('What could not be read:', faults),
    rows.length === 0
      ? 'no sessions found'
      : [HEAD, RULE, ...rows.map((cells) => cells.join(' | '))].map(inBars).join('\n'),
  ];
  return [parts.join('\n\n')];
};

const HEAD = 'session | peak | calls | compacted | cost';
const RULE = '--- | ---: | ---: | ---: | ---:';

const inBars = (cells: string) => `| ${cells} |`;

function cellsOf(sessions: readonly SessionFigures[]): string[] {
  const { peak, calls, 'comp.': compactions, cost } = figuresOf(totalsOf(sessions));
  return [peak, calls, compactions, cost];
}

function bulletList(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading, lines.map((line) => `- ${markdownCell(line)}`).join('\n')];
}

/** Escapes Markdown in untrusted text: any ASCII punctuation may follow a backslash. */
function markdownCell(text: string): string {
  return onOneLine(text).replace(/[\\`*_{}[\]<>()#!|~&@:]/g, '\\$&');
}

import { sumOf } from '../../core/text/sum-of.ts';
import type { RecordedCall } from '../../replay/recorded-items.ts';
import { type SessionFigures, type SessionSummary, withoutSeries } from '../../replay/summary.ts';
import { replayReport } from '../../replay/sums.ts';
import { ownFigures, sumUsd, totalsOf } from '../../replay/totals.ts';
import { counted } from '../figures.ts';
import { onOneLine, printableJson } from '../printable.ts';
import { type Report, shownSessions } from './format.ts';
import { figuresOf, shortPaths } from './session-list.ts';

export const json: Report = (sessions, page) => {
  const { by, since, series, retention } = page.list;
  // Omits the series and the retention unless they were requested.
  const asked = sessions.map(({ retention: facts, ...session }) => ({
    ...(series ? session : withoutSeries(session)),
    ...(retention && facts && { retention: facts }),
  }));
  const report = replayReport(asked, by, since);
  return [printableJson({ ...report, sessions: shownSessions(report.sessions, page) }, 2)];
};

/** A JSON line for each call of the main thread, flat, with the same keys in every line. */
export const ndjson: Report = function* (sessions, page) {
  for (const session of shownSessions(sessions, page)) yield* callLines(session.series ?? [], session);
};

export function callLines(calls: readonly RecordedCall[], session: SessionSummary): string[] {
  return calls.map((call) => printableJson(callRow(call, session)));
}

/** Tokens unless the name says otherwise. `added_*` and `compacted_by`: since the previous call. */
function callRow(call: RecordedCall, { file, sessionId, project, compactions }: SessionSummary) {
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
    ...addedTokens(call),
    compacted_by: compactions.findLast(({ call: before }) => before === call.number - 1)?.by ?? null,
  };
}

function addedTokens({ added }: RecordedCall) {
  const { prompt = 0, answer = 0, summary = 0, notice = 0, ...byTool } = added;
  return {
    added_prompt: prompt,
    added_answer: answer,
    added_summary: summary,
    added_notice: notice,
    added_tools: sumOf(Object.values(byTool), (tokens) => tokens),
  };
}

/** One row per session, as in RFC 4180. */
export const csv: Report = (sessions, page) => {
  const rows = shownSessions(sessions, page).map((session) => Object.values(csvRow(session)).map(cell).join());
  return [HEADER, ...rows].map((row) => `${row}\r`);
};

type Figure = string | number | boolean | null;

function cell(figure: Figure): string {
  if (typeof figure !== 'string') return figure === null ? '' : String(figure);
  // A quote keeps a spreadsheet from running the text as a formula.
  const text = onOneLine(figure).replace(/^[=+\-@]/, "'$&");
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The names of the columns. The header is printed even without sessions. */
const HEADER = [
  'file,session,project,model,claude_code_version,dialect,first,last,window,window_source,context_peak',
  'context_peak_fraction,context_peak_call,context_last,context_basis,turns,calls,compactions',
  'compactions_unplanned,actions,cost_usd,cost_computed,cost_incomplete,cost_unseen_usd,unpriced_model,input',
  'cache_creation,cache_read,output,subagents,subagents_peak,subagents_calls,subagents_usd,subagents_input',
  'subagents_cache_creation,subagents_cache_read,subagents_output,calls_copied,copied_from,lines',
  'lines_unknown,lines_malformed',
].join();

/**
 * A row in the order of the header; tokens unless the name says otherwise. Calls, compactions, tokens and cost exclude
 * what is copied from another session, so that sums over rows count it once.
 */
function csvRow(session: SessionSummary) {
  const { file, project, model, dialect, window, context, turns, compactions, cost, subagents, copied, lines } =
    session;
  const own = ownFigures(session);
  const { main, subagents: subagentTraffic } = session.traffic;
  return {
    file,
    session: session.sessionId,
    project,
    model,
    claude_code_version: session.claudeCodeVersion,
    dialect,
    first: isoTime(session.time.first),
    last: isoTime(session.time.last),
    window: window.tokens,
    window_source: window.source,
    context_peak: context.peak,
    context_peak_fraction: context.peakFraction,
    context_peak_call: context.peakCall,
    context_last: context.last,
    context_basis: context.basis,
    turns,
    calls: own.calls,
    compactions: own.compactions,
    compactions_unplanned: compactions.filter(({ by, copied }) => by === 'claude' && !copied).length,
    actions: session.actions.length,
    cost_usd: own.usd,
    cost_computed: cost.computed,
    cost_incomplete: own.usdPartial === true,
    cost_unseen_usd: cost.unseen ?? 0,
    unpriced_model: cost.unpriced ?? null,
    input: main.input,
    cache_creation: main.cacheCreation,
    cache_read: main.cacheRead,
    output: main.output,
    subagents: subagents.length,
    subagents_peak: subagents.reduce((max, { peak }) => Math.max(max, peak), 0),
    subagents_calls: sumOf(subagents, ({ calls }) => calls),
    subagents_usd: sumUsd(subagents.map(({ usd }) => usd)) ?? 0,
    subagents_input: subagentTraffic.input,
    subagents_cache_creation: subagentTraffic.cacheCreation,
    subagents_cache_read: subagentTraffic.cacheRead,
    subagents_output: subagentTraffic.output,
    calls_copied: copied?.calls ?? 0,
    copied_from: copied?.from.map(({ session }) => session).join(' ') ?? null,
    lines: lines.total,
    lines_unknown: lines.unknown,
    lines_malformed: lines.malformed,
  };
}

/** The time in ISO 8601; null if it is unknown, or outside the range of a Date. */
function isoTime(t: number | null): string | null {
  return t === null ? null : new Date(t).toJSON();
}

export const markdown: Report<SessionFigures> = (sessions, page, { breaches, faults }) => {
  const shown = shownSessions(sessions, page);
  const names = shortPaths(shown.map(({ file }) => file));
  const rows = shown.map((session, index) => [markdownCell(names[index] ?? ''), ...cellsOf([session])]);
  if (sessions.length > 1) rows.push([`**${counted(sessions.length, 'session')}**`, ...cellsOf(sessions)]);
  const parts = [
    '### Context of Claude Code',
    ...bulletList('Gates that were not passed:', breaches),
    ...bulletList('What could not be read:', faults),
    rows.length === 0
      ? 'no sessions found'
      : [HEAD, RULE, ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n'),
  ];
  return [parts.join('\n\n')];
};

const HEAD = '| session | peak | calls | compacted | cost |';
const RULE = '| --- | ---: | ---: | ---: | ---: |';

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

import type { Decision } from '../../core/governor/decisions.ts';
import type {
  CallSeen,
  CompactionSeen,
  Growth,
  PromptSeen,
  ResultSeen,
  SubagentSeen,
} from '../../replay/items-seen.ts';
import type { SessionSummary } from '../../replay/summary.ts';
import { counted, dollars, shareOf, tokens } from '../figures.ts';
import { aligned, fitted } from '../layout.ts';
import { onOneLine } from '../shown.ts';
import type { OpenReport, Page } from './format.ts';
import { actionText, compactionRow, dropRows, linesRow, originRows, row } from './session-rows.ts';
import { sessionTable } from './session-table.ts';
import { zoneColour } from './sparkline.ts';

/** Sources of growth that are named; the rest is summed up. */
const SOURCES = 6;

const INDENT = '    ';

/** The story of each session: turn after turn, with what filled the window and who emptied it. */
export const detail: OpenReport = (page) => {
  let seen = 0;
  return {
    session(session) {
      seen++;
      return [...(seen === 1 ? [] : ['']), ...storyOf(session, page), ''].join('\n');
    },
    end: () => (seen === 0 ? 'no recordings found\n' : ''),
  };
};

function storyOf(session: SessionSummary, page: Page): string[] {
  const { stretches, after } = timelineOf(session);
  return [
    ...sessionTable(session, page),
    ...originRows(session, page.glyphs),
    ...stretches.flatMap((stretch) => stretchRows(stretch, session, page)),
    ...after.actions.map(actionRow),
    ...after.compactions.map(compactionRow),
    ...lateSubagents(session).map((subagent) => subagentRow(subagent, page)),
    ...largestRows(session.largest, page),
    linesRow(session),
  ];
}

function stretchRows(stretch: Stretch, session: SessionSummary, page: Page): string[] {
  const { turn, goesOn, before, calls, prompts, growth, actions } = stretch;
  const [first, last] = [calls[0]?.number ?? 0, calls.at(-1)?.number ?? 0];
  const subagents = session.subagents.filter((subagent) => {
    const earlier = callsBefore(subagent, session);
    return earlier >= first && earlier <= last;
  });
  const name = page.style.bold(`turn ${turn}`) + (goesOn ? ' goes on' : '');
  return [
    ...before.actions.map(actionRow),
    ...before.compactions.map(compactionRow),
    `  ${name}: ${counted(calls.length, 'call')}, ${contextText(stretch, session, page)}`,
    ...prompts.map(({ text }) => cut(`${INDENT}prompt    ${onOneLine(text)}`, page)),
    ...growthRows(growth),
    ...dropRows(session).flatMap(({ call, text }) => (call >= first && call <= last ? [`  ${text}`] : [])),
    ...actions.map((action) => `  ${actionRow(action)}`),
    ...subagents.map((subagent) => subagentRow(subagent, page)),
  ];
}

function actionRow(action: Decision): string {
  return row('policy', actionText(action));
}

/** From the first call to the last. A stream names its window at the end of its first turn: that is the window before, too. */
function contextText({ calls }: Stretch, session: SessionSummary, { glyphs, levels, style }: Page): string {
  const [first, last] = [calls[0], calls.at(-1)];
  if (first === undefined || last === undefined) return '';
  const window = last.window ?? session.window.tokens;
  const share = style[zoneColour(last.context, window, levels)](shareOf(last.context, window));
  const from = first === last ? '' : `${tokens(first.context)} ${glyphs.arrow} `;
  return `${from}${tokens(last.context)} (${share})`;
}

function growthRows(growth: Growth): string[] {
  const text = growthText(growth);
  return text === '' ? [] : [`${INDENT}grew by   ${text}`];
}

/** What came in, by source, the most first: `Read 14,413, answer 942`. */
export function growthText(growth: Growth): string {
  const all = Object.entries(growth).sort(([, a], [, b]) => b - a);
  const rest = all.slice(SOURCES).reduce((sum, [, more]) => sum + more, 0);
  const named = all.slice(0, SOURCES).map(([source, more]) => `${onOneLine(source)} ${tokens(more)}`);
  return [...named, ...(rest > 0 ? [`others ${tokens(rest)}`] : [])].join(', ');
}

/** By the time where both sides have one: logs of subagents are files of their own. */
function callsBefore({ t = null, call = 0 }: SubagentSeen, { series = [] }: SessionSummary): number {
  if (t === null || series.some((seen) => seen.t === null)) return call;
  return series.filter((seen) => seen.t !== null && seen.t <= t).length;
}

/** Those that began before the first call, or where no call is known. */
function lateSubagents(session: SessionSummary): SubagentSeen[] {
  return session.subagents.filter((subagent) => callsBefore(subagent, session) === 0);
}

function subagentRow({ id, kind, task = null, calls, peak, usd }: SubagentSeen, page: Page): string {
  const what = task === null || task === '' ? id : task;
  const figures = `${counted(calls, 'call')}, peak ${tokens(peak)}, ${dollars(usd)}`;
  return cut(`${INDENT}subagent  ${kind === null ? '' : `${onOneLine(kind)}, `}${figures}: ${onOneLine(what)}`, page);
}

function largestRows(largest: readonly ResultSeen[], page: Page): string[] {
  if (largest.length === 0) return [];
  const rows = largest.map(({ tool, tokens: size, call, stayed }) => [
    onOneLine(tool),
    tokens(size),
    tokens(call),
    tokens(stayed),
  ]);
  const lines = aligned([['largest results', 'tokens', 'from call', 'calls with it'], ...rows]);
  return lines.map((line, at) => {
    const target = onOneLine(largest[at - 1]?.target ?? '');
    return at === 0
      ? `  ${page.style.bold(line)}`
      : `  ${line}  ${cutTarget(target, page.columns - line.length - 4, page)}`;
  });
}

/** Of a path its end, which names the file; of anything else its beginning. */
function cutTarget(target: string, width: number, { glyphs: { ellipsis } }: Page): string {
  return fitted(target, width, ellipsis, /^[^\s]*\/[^\s]*$/.test(target) ? 'end' : 'begin');
}

function cut(line: string, { columns, glyphs: { ellipsis } }: Page): string {
  return fitted(line, columns, ellipsis);
}

/** Calls of one turn with no compaction between them. */
interface Stretch {
  readonly turn: number;
  /** Another one of the same turn is before it. */
  readonly goesOn: boolean;
  /** Between the stretch before it and this one. */
  readonly before: Between;
  /** At least one. */
  readonly calls: readonly CallSeen[];
  /** Said since the last call before it. */
  readonly prompts: readonly PromptSeen[];
  /** What came in with its calls, estimated tokens by source. */
  readonly growth: Growth;
  readonly actions: readonly Decision[];
}

/** What happened when no call was under way. */
interface Between {
  /** Of the turn to come. */
  readonly actions: readonly Decision[];
  readonly compactions: readonly CompactionSeen[];
}

/** A session as stretches, in order, and what came after the last of them. */
interface Timeline {
  readonly stretches: readonly Stretch[];
  readonly after: Between;
}

/** Cuts the calls of a session where a turn ends or the context was compacted. */
function timelineOf({ series = [], prompts = [], compactions, actions }: SessionSummary): Timeline {
  const stretches: Stretch[] = [];
  const between = (last: CallSeen | undefined): Between => ({
    actions: actions.filter(({ at }) => at.call === (last?.number ?? 0) && at.turn >= (last?.turn ?? 0)),
    compactions: compactions.filter(({ call }) => call === (last?.number ?? 0)),
  });
  let begin = 0;
  for (let end = 1; end <= series.length; end++) {
    const [last, next] = [series[end - 1], series[end]];
    if (last === undefined) break;
    if (next !== undefined && next.turn === last.turn && !compactions.some(({ call }) => call === last.number))
      continue;
    const calls = series.slice(begin, end);
    const since = series[begin - 1];
    stretches.push({
      turn: last.turn,
      goesOn: since?.turn === last.turn,
      before: between(since),
      calls,
      prompts: prompts.filter(({ line }) => line > (since?.line ?? 0) && line <= last.line),
      growth: summed(calls.map(({ added }) => added)),
      actions: actions.filter(({ at }) => at.call > begin && at.call <= end && at.turn < last.turn),
    });
    begin = end;
  }
  return { stretches, after: series.length === 0 ? { actions, compactions } : between(series.at(-1)) };
}

function summed(all: readonly Growth[]): Growth {
  const sums = new Map<string, number>();
  for (const growth of all) {
    for (const [source, tokens] of Object.entries(growth)) sums.set(source, (sums.get(source) ?? 0) + tokens);
  }
  return Object.fromEntries(sums);
}

import type { Decision } from '../../core/governor/decisions.ts';
import { zoneAt } from '../../core/governor/zones/zones.ts';
import type { CallSeen, CompactionSeen, Growth, ResultSeen, SubagentSeen } from '../../replay/items-seen.ts';
import type { SessionSummary } from '../../replay/summary.ts';
import { counted, dollars, shareOf, tokens } from '../figures.ts';
import { columnsOf, fitText, indentRows } from '../layout.ts';
import { onOneLine } from '../shown.ts';
import { paintOf } from '../style.ts';
import { listed, type Page, type Report, row } from './format.ts';
import { actionText, compactionRow, decidedIn, dropRows, linesRow, originRows } from './session-rows.ts';

/** Sources of growth listed by name; the rest are summed as "others". */
const SOURCES = 6;

const INDENT = '    ';

/** The timeline of each session: turn by turn, what filled the window and what emptied it. */
export const detail: Report = function* (sessions, page) {
  if (sessions.length === 0) yield 'no recordings found';
  for (const [at, session] of listed(sessions, page).entries())
    yield* [...(at === 0 ? [] : ['']), ...storyOf(session, page)];
};

function storyOf(session: SessionSummary, page: Page): string[] {
  const { stretches, after } = timelineOf(session);
  return [
    ...originRows(session),
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
  const name = page.style.bold(`turn ${turn}`) + (goesOn ? ' continues' : '');
  return [
    ...before.actions.map(actionRow),
    ...before.compactions.map(compactionRow),
    `  ${name}: ${counted(calls.length, 'call')}, ${contextText(stretch, session, page)}`,
    ...prompts.map(({ text }) => cut(`${INDENT}prompt    ${onOneLine(text)}`, page)),
    ...[growthText(growth)].filter(Boolean).map((text) => `${INDENT}grew by   ${text}`),
    ...dropRows(session).flatMap(({ call, text }) => (call >= first && call <= last ? [`  ${text}`] : [])),
    ...actions.map((action) => `  ${actionRow(action)}`),
    ...subagents.map((subagent) => subagentRow(subagent, page)),
  ];
}

function actionRow(action: Decision): string {
  return row('ctxb', actionText(action));
}

/**
 * Context from the first call to the last. A stream reports its window only with the first result, so earlier calls use
 * the session's window.
 */
function contextText({ calls }: Stretch, session: SessionSummary, { levels, style }: Page): string {
  const [first, last] = [calls[0], calls.at(-1)];
  if (first === undefined || last === undefined) return '';
  const window = last.window ?? session.window.tokens;
  const share = paintOf(zoneAt(last.context, window ?? undefined, levels), style)(shareOf(last.context, window));
  const from = first === last ? '' : `${tokens(first.context)} → `;
  return `${from}${tokens(last.context)} (${share})`;
}

/** Tokens added by source, the largest first: `Read 14,413, answer 942`. */
export function growthText(growth: Growth): string {
  const all = Object.entries(growth).sort(([, a], [, b]) => b - a);
  const rest = all.slice(SOURCES).reduce((sum, [, more]) => sum + more, 0);
  const named = all.slice(0, SOURCES).map(([source, more]) => `${onOneLine(source)} ${tokens(more)}`);
  return [...named, ...(rest > 0 ? [`others ${tokens(rest)}`] : [])].join(', ');
}

/** The number of calls before a subagent started, by time if both logs have times: a subagent can have its own log. */
function callsBefore({ t = null, call = 0 }: SubagentSeen, { series = [] }: SessionSummary): number {
  if (t === null || series.some((seen) => seen.t === null)) return call;
  return series.filter((seen) => seen.t !== null && seen.t <= t).length;
}

/** Subagents that started before the first call, or at an unknown call. */
function lateSubagents(session: SessionSummary): SubagentSeen[] {
  return session.subagents.filter((subagent) => callsBefore(subagent, session) === 0);
}

function subagentRow({ id, kind, task = null, calls, peak, usd }: SubagentSeen, page: Page): string {
  const what = task === null || task === '' ? id : task;
  const figures = `${counted(calls, 'call')}, peak ${tokens(peak)}, ${usd === null ? 'no price' : dollars(usd)}`;
  return cut(`${INDENT}subagent  ${kind === null ? '' : `${onOneLine(kind)}, `}${figures}: ${onOneLine(what)}`, page);
}

/** Minimum width for a target beside the figures; with less room the target moves to a line of its own. */
const MIN_TARGET = 12;
/** On a narrow terminal: minimum width of a tool's name, and width of the figures next to it. */
const [LEAST_TOOL, SHORT_FIGURES] = [8, 28];

function largestRows(largest: readonly ResultSeen[], { style, columns, edge }: Page): string[] {
  if (largest.length === 0) return [];
  const rows = (width: number) =>
    largest.map(({ tool, tokens: size, call, stayed }) => [
      fitText(onOneLine(tool), width),
      ...[size, call, stayed].map(tokens),
    ]);
  const full = [['largest results', 'tokens', 'from call', 'calls with it'], ...rows(Number.POSITIVE_INFINITY)];
  const short = [['largest', 'tokens', 'call', 'with it'], ...rows(Math.max(LEAST_TOOL, edge - SHORT_FIGURES))];
  const fits = columnsOf(indentRows(full)[0] ?? '') <= edge;
  const [head = '', ...lines] = indentRows(fits ? full : short, style.bold);
  const withTargets = lines.flatMap((line, at) => {
    const target = onOneLine(largest[at]?.target ?? '');
    // Keep the end of a path, which names the file, and the beginning of any other text.
    const kept = /^[^\s]*\/[^\s]*$/.test(target) ? 'end' : 'begin';
    const room = columns - columnsOf(line) - 2;
    if (room >= MIN_TARGET || columns < edge) return [`${line}  ${fitText(target, room, kept)}`];
    return [line, `${INDENT}${INDENT}${fitText(target, columns - 2 * INDENT.length, kept)}`];
  });
  return [head, ...withTargets];
}

function cut(line: string, { columns }: Page): string {
  return fitText(line, columns);
}

/** Consecutive calls of one turn without a compaction between them; at least one. */
type Stretch = ReturnType<typeof stretchOf>;

/** Events between two stretches. */
interface Between {
  /** Decisions that belong to the next turn. */
  readonly actions: readonly Decision[];
  readonly compactions: readonly CompactionSeen[];
}

/** Splits the calls of a session at the end of each turn and at each compaction. */
function timelineOf(session: SessionSummary): { stretches: readonly Stretch[]; after: Between } {
  const { series = [], compactions } = session;
  const actions = decidedIn(session);
  const ends = series.flatMap((call, at) => {
    const isLast = series[at + 1]?.turn !== call.turn || compactions.some((each) => each.call === call.number);
    return isLast ? [at + 1] : [];
  });
  return {
    stretches: ends.map((end, at) =>
      stretchOf(session, series.slice(ends[at - 1] ?? 0, end), series[(ends[at - 1] ?? 0) - 1]),
    ),
    after: series.length === 0 ? { actions, compactions } : happenedAfter(session, series.at(-1)),
  };
}

/** @param since the call before the first; undefined if there was no earlier call */
function stretchOf(session: SessionSummary, calls: readonly CallSeen[], since: CallSeen | undefined) {
  const { prompts = [] } = session;
  const actions = decidedIn(session);
  const [first, last] = [calls[0], calls.at(-1)];
  const { turn = 0, line: end = 0 } = last ?? {};
  return {
    turn,
    /** Not the first stretch of its turn. */
    goesOn: since?.turn === turn,
    before: happenedAfter(session, since),
    calls,
    /** Prompts since the call before the stretch. */
    prompts: prompts.filter(({ line }) => line > (since?.line ?? 0) && line <= end),
    /** Estimated tokens added with its calls, by source. */
    growth: sumGrowth(calls.map(({ added }) => added)),
    actions: actions.filter(
      ({ at }) => at.call >= (first?.number ?? 0) && at.call <= (last?.number ?? 0) && at.turn < turn,
    ),
  };
}

/** Events between a call and the next one; before the first call if `last` is undefined. */
function happenedAfter(session: SessionSummary, last: CallSeen | undefined): Between {
  const { number = 0, turn = 0 } = last ?? {};
  return {
    actions: decidedIn(session).filter(({ at }) => at.call === number && at.turn >= turn),
    compactions: session.compactions.filter(({ call }) => call === number),
  };
}

function sumGrowth(all: readonly Growth[]): Growth {
  const sums = new Map<string, number>();
  for (const growth of all) {
    for (const [source, tokens] of Object.entries(growth)) sums.set(source, (sums.get(source) ?? 0) + tokens);
  }
  return Object.fromEntries(sums);
}

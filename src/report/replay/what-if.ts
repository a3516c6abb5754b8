import type { SessionSummary } from '../../replay/summary.ts';
import { usdOf, whatIfTotals } from '../../replay/what-if/compare.ts';
import type {
  Best,
  Figures,
  ReliefBy,
  SessionWhatIf,
  WhatIfTotal,
  WhatIfTotals,
} from '../../replay/what-if/what-if.ts';
import { counted, dollars, percent, tokens } from '../figures.ts';
import { aligned } from '../layout.ts';
import { onOneLine } from '../shown.ts';
import { listed, type Page, type Report, unlistedRows } from './format.ts';

/** What other policies would have come to, for a person: a table for each session, and one for all. */
export const whatIf: Report = (sessions, page) => {
  const totals = whatIfTotals(sessions);
  const unknown = sessions.filter(({ window, calls }) => window.tokens === null && calls > 0).length;
  const left =
    unknown === 0 ? [] : [`${counted(unknown, 'session')} left out: the window is not known, --window sets it`];
  if (totals === undefined) return ['no calls to try a policy on', ...left];
  const isOne = totals.sessions === 1;
  const common = new Set(isOne ? [] : totals.assumptions);
  const tried = sessions.filter((session) => session.whatIf !== undefined);
  const each = listed(tried, page).flatMap((session) =>
    session.whatIf ? [sessionText(session, session.whatIf, common, page)] : [],
  );
  const all = isOne ? [] : [totalsText(totals, page)];
  return [[...each, ...unlistedRows(tried.length, page), ...all, ...left].join('\n\n')];
};

interface Row extends Pick<WhatIfTotal, 'name' | 'figures'> {
  readonly peak: number;
  readonly exhausted: string;
}

/** @param common assumptions that are said once, below all sessions */
function sessionText(
  { file, calls, window }: SessionSummary,
  { actual, policies, best, assumptions }: SessionWhatIf,
  common: ReadonlySet<string>,
  page: Page,
): string {
  const rows = [actual, ...policies].map(({ name, figures, exhaustedAfter }): Row => {
    const exhausted = exhaustedAfter === null ? '' : `after ${tokens(exhaustedAfter)}`;
    return { name, figures, peak: figures.peak, exhausted };
  });
  const title = `${page.style.bold(onOneLine(file))}  ${counted(calls, 'call')}, window ${tokens(window.tokens ?? 0)}`;
  const [first, ...others] = rows.map((row) => cellsOf({ ...row, name: '' }).join());
  if (common.size > 0 && others.every((cells) => cells === first)) return `${title}: no policy changes anything`;
  const own = assumptions.filter((sentence) => !common.has(sentence));
  return [title, ...bodyText('peak', rows, best, own, page)].join('\n');
}

function totalsText({ actual, policies, sessions, best, assumptions }: WhatIfTotals, page: Page): string {
  const rows = [actual, ...policies].map(({ name, figures, meanPeak, exhausted }): Row => {
    return { name, figures, peak: meanPeak, exhausted: exhausted === 0 ? '' : counted(exhausted, 'session') };
  });
  const title = `${page.style.bold('All')}  ${counted(sessions, 'session')}, ${counted(actual.figures.main.calls, 'call')}`;
  return [title, ...bodyText('mean peak', rows, best, assumptions, page)].join('\n');
}

function bodyText(peak: string, rows: readonly Row[], best: Best, assumptions: readonly string[], page: Page) {
  return [
    ...bestText(best, rows).map(page.style.bold),
    ...tableText(peak, byCost(rows).map(cellsOf), page),
    ...assumptions.map((sentence) => `  ${page.style.dim(sentence)}`),
  ];
}

/** The least first; what has no price comes last. */
function byCost(rows: readonly Row[]): readonly Row[] {
  const usd = ({ figures }: Row) => usdOf(figures) ?? Number.POSITIVE_INFINITY;
  // Infinity less itself is no number.
  return rows.toSorted((a, b) => (usd(a) === usd(b) ? 0 : usd(a) - usd(b)));
}

function cellsOf({ name, figures, peak, exhausted }: Row): string[] {
  const { above, main, relief, cut } = figures;
  const usd = usdOf(figures);
  return [
    onOneLine(name),
    ...[above.half, above.seventy, above.eightyFive, peak].map(tokens),
    millions(main.read + relief.read),
    millions(main.cacheRead + relief.cacheRead),
    usd === null ? '' : dollars(usd),
    reliefsText(figures),
    cut.results === 0 ? '' : tokens(cut.results),
    exhausted,
  ];
}

/** A column that is empty throughout is left out. */
function tableText(peak: string, rows: readonly string[][], { style, edge }: Page): string[] {
  const titles = ['policy', '>50%', '>70%', '>85%', peak, 'read', 'cached', 'cost', 'relieved by', 'cut', 'too large'];
  const shown = titles.map((_, column) => rows.some((row) => row[column] !== ''));
  const table = [titles, ...rows].map((row) => row.filter((_, column) => shown[column]));
  const paints = [style.dim, style.bold];
  return aligned(table, edge - 2).map((line, at) => `  ${paints[at % table.length]?.(line) ?? line}`);
}

const WHO: Readonly<Record<ReliefBy, string>> = {
  ctxb: 'ctxb',
  handoff: 'handoff',
  placed: 'claude as placed',
  claude: 'claude',
  caller: 'the caller',
};

function reliefsText({ reliefs }: Figures): string {
  const parts = (Object.keys(WHO) as ReliefBy[]).filter((by) => reliefs[by] > 0);
  return parts.map((by) => `${tokens(reliefs[by])} ${WHO[by]}`).join(', ');
}

function bestText(best: Best, [actual, ...policies]: readonly Row[]): string[] {
  if (actual === undefined) return [];
  const found = (name: string | null) => policies.filter((row) => row.name === name).slice(0, 1);
  const said = (label: string, { name }: Row, figure: number, before: number) =>
    `${label}: ${onOneLine(name)} (${difference(figure, before)})`;
  const parts = [
    ...found(best.cost).map((row) => said('least cost', row, usdOf(row.figures) ?? 0, usdOf(actual.figures) ?? 0)),
    ...found(best.peak).map((row) => said('lowest peak', row, row.peak, actual.peak)),
  ];
  return parts.length === 0 ? [] : [`  ${parts.join('; ')}`];
}

function difference(figure: number, actual: number): string {
  if (actual === 0 || figure === actual) return 'the same';
  const share = Math.abs(figure - actual) / actual;
  return `${percent(share)} ${figure < actual ? 'less' : 'more'} than what happened`;
}

/** 19728242 → `19.73M`; below a million in thousands. */
function millions(count: number): string {
  return count >= 1_000_000 ? `${(count / 1_000_000).toFixed(2)}M` : `${tokens(count / 1000)}k`;
}

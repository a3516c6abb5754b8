import type { SessionWhatIf } from '../../replay/played-session.ts';
import type { SessionSummary } from '../../replay/summary.ts';
import { dateOf, type WhatIfTotals, whatIfTotals } from '../../replay/sums.ts';
import type { TallyFigures } from '../../replay/tally.ts';
import { counted, dollars, percent, roundedTokens, tokens } from '../figures.ts';
import { indentRows, presentLines } from '../layout.ts';
import { onOneLine } from '../printable.ts';
import type { Page, Report } from './format.ts';
import { promptTable, unknownWindows } from './session-list.ts';

/** Totals first, then a row for each session, the highest cost first. */
export const whatIf: Report = (sessions, page) => {
  const totals = whatIfTotals(sessions);
  const unknown = unknownWindows(sessions);
  const left = unknown > 0 && `${counted(unknown, 'session')} left out: the window is unknown, --window sets it`;
  if (totals === undefined) return presentLines('no calls to try ctxb on', left);
  const tried = sessions.flatMap((session) => (session.whatIf ? [{ ...session, found: session.whatIf }] : []));
  const shown =
    totals.sessions === 1
      ? tried.map((session) => ofSession(session, page))
      : [totalsTable(totals, page), ...rowsOf(tried, totals, page)];
  const { calls, estimated, fetched } = totals;
  const refetchLine = fetched > 0 && `With ctxb ${counted(fetched, 'result')} would have been fetched again.`;
  const known = `by how much the context grew before ${tokens(calls - estimated)} of ${counted(calls, 'call')}`;
  const sentences = presentLines(`Exact: the recorded calls, and ${known}.`, refetchLine, ...ASSUMPTIONS);
  return [presentLines(...shown, left, sentences.map(page.style.dim).join('\n')).join('\n\n')];
};

type SessionWithWhatIf = SessionSummary & { readonly found: SessionWhatIf };

function ofSession({ file, window, found }: SessionWithWhatIf, page: Page): string {
  const about = `${counted(found.calls, 'call')}, window ${tokens(window.tokens ?? 0)}`;
  return tableOf(`${page.style.bold(onOneLine(file))}  ${about}`, found, page);
}

function totalsTable(totals: WhatIfTotals, page: Page): string {
  const { since } = page.list;
  const title = page.style.bold(since === undefined ? 'All' : `Since ${dateOf(since)}`);
  const sums = `${title}  ${counted(totals.sessions, 'session')}, ${counted(totals.calls, 'call')}`;
  return [tableOf(sums, totals, page), dearerRow(totals)].join('\n');
}

function rowsOf(tried: readonly SessionWithWhatIf[], totals: WhatIfTotals, page: Page): string[] {
  const dearest = tried.toSorted((a, b) => (b.found.actual.usd ?? 0) - (a.found.actual.usd ?? 0));
  const figures = ({ calls, actual, ctxb }: Omit<SessionWhatIf, 'curve'>) => ({
    calls: tokens(calls),
    cost: costOf(actual),
    'with ctxb': costOf(ctxb),
    compactions: tokens(ctxb.reliefs),
  });
  return presentLines(promptTable(dearest, ({ found }) => figures(found), figures(totals), page).join('\n') || false);
}

function dearerRow({ sessions, dearer }: WhatIfTotals): string {
  if (dearer.sessions === 0) return '  no session would have cost more';
  return `  ${tokens(dearer.sessions)} of ${counted(sessions, 'session')} would have cost more, ${dollars(dearer.mostUsd)} at most`;
}

const ASSUMPTIONS = [
  'Decided as in a run: when a compaction comes, and what it keeps. Estimated: the size of what it keeps.',
  'Assumed: the model does the same work in as many calls, and the cache hits as often as in the recording.',
  'Assumed: a result that a compaction removed is fetched again as soon as a call names a path or a figure of it, or edits a line of it, that is nowhere else in the context.',
  'Not included: results that ctxb cuts, cost limits, and subagents. Costs are list prices.',
  'Estimated: the calls that wrote summaries. Logs lack them, so ctxb replay shows a lower cost.',
];

function tableOf(
  title: string,
  { actual, ctxb }: Pick<SessionWhatIf, 'actual' | 'ctxb'>,
  { style, edge }: Page,
): string {
  const [before, after] = [actual.usd ?? 0, ctxb.usd ?? 0];
  const share = `${percent(Math.abs(after - before) / before)} ${after < before ? 'less' : 'more'}`;
  const verdict = `  with ctxb: ${after === before ? 'the same cost' : share}`;
  const rows = [
    ['', 'peak', 'read', 'cached', 'cost', 'compactions'],
    ['what happened', ...cellsOf(actual)],
    ['with ctxb', ...cellsOf(ctxb)],
  ];
  return presentLines(title, actual.usd !== null && style.bold(verdict), ...indentRows(rows, edge)).join('\n');
}

function cellsOf({ peak, read, cacheRead, usd, reliefs }: TallyFigures): string[] {
  return [tokens(peak), roundedTokens(read), roundedTokens(cacheRead), costOf({ usd }), tokens(reliefs)];
}

function costOf({ usd }: Pick<TallyFigures, 'usd'>): string {
  return usd === null ? '' : dollars(usd);
}

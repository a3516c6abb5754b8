import { USUALLY_KEPT } from '../../core/governor/relief/outlook.ts';
import { TOLD_KINDS } from '../../core/memory/notebook/fact.ts';
import { FACT_NAMES } from '../../messages.ts';
import type { Explanation, Prediction } from '../../replay/explain.ts';
import type { ReliefSeen } from '../../replay/items-seen.ts';
import type { SessionSummary } from '../../replay/summary.ts';
import { dayOf, keptOf, type RetentionCounts, type RetentionTotals, retentionTotals } from '../../replay/sums.ts';
import type { Figures } from '../../replay/tally.ts';
import { type SessionWhatIf, type WhatIfTotals, whatIfTotals } from '../../replay/what-if.ts';
import { counted, dollars, percent, tokens } from '../figures.ts';
import { indentRows, present } from '../layout.ts';
import { onOneLine } from '../shown.ts';
import type { Style } from '../style.ts';
import { listed, type Page, type Report, row, unlistedRows } from './format.ts';
import { figureColumns, promptOf, table, unknownWindows } from './session-list.ts';

/** What compactions and handoffs kept: a table of totals, and a row for each session. */
export const retention: Report = (sessions, page) => {
  const { style, edge } = page;
  const relieved = sessions.filter((session) => reliefsOf(session).length > 0);
  if (relieved.length === 0) return ['no compaction or handoff with a request after it'];
  const totals = retentionTotals(relieved.flatMap(reliefsOf));
  return [
    style.bold(`What the next request held, over ${counted(totals.reliefs, 'relief')} (compactions and handoffs)`),
    ...indentRows([['', ...Object.keys(keptTexts(totals.known.paths))], ...knownRows(totals)], undefined, edge),
    '',
    style.bold('By session, what must not be lost: prompts, commands that failed or ran again, dead ends'),
    ...sessionTable(relieved, page),
    ...unlistedRows(relieved.length, page),
    '',
    style.dim(NOTE),
  ];
};

const NOTE =
  '  by claude: its summary and the messages that stay. With ctxb: also what ctxb handed back, or, in a recording without ctxb, what it would have handed back. Something counts where its whole line stands.';

const reliefsOf = ({ retention: reliefs = [] }: SessionSummary): readonly ReliefSeen[] => reliefs;

function knownRows({ known }: RetentionTotals): string[][] {
  return ([...TOLD_KINDS, 'paths', 'commands'] as const).flatMap((kind) =>
    known[kind].all === 0 ? [] : [[FACT_NAMES[kind], ...Object.values(keptTexts(known[kind]))]],
  );
}

/** Narrower pages omit the column with the number of reliefs. */
const ROOM_FOR_RELIEFS = 60;

function sessionTable(relieved: readonly SessionSummary[], page: Page): string[] {
  const shown = listed(relieved, page);
  const columns = figureColumns(figures, shown.map(reliefsOf), relieved.flatMap(reliefsOf));
  const names = { heading: 'first prompt', cells: shown.map(promptOf), takesRest: true };
  return table(
    [names, ...columns.slice(page.edge < ROOM_FOR_RELIEFS ? 1 : 0)],
    counted(relieved.length, 'session'),
    page,
  );
}

function figures(reliefs: readonly ReliefSeen[]) {
  return { reliefs: tokens(reliefs.length), ...keptTexts(keptOf(reliefs, TOLD_KINDS)) };
}

function keptTexts({ all, kept, given }: RetentionCounts) {
  return { known: tokens(all), 'by claude': partText(kept - given, all), 'with ctxb': partText(kept, all) };
}

/** A count and its share in one cell, so that a split table keeps them together. */
function partText(part: number, all: number): string {
  return `${tokens(part)}  ${(all === 0 ? '-' : percent(part / all)).padStart(4)}`;
}

export const explain: Report = (sessions, { style }) =>
  sessions.flatMap(({ explanation }) => (explanation ? explanationRows(explanation, style) : []));

/** How the figures of one call were computed. */
function explanationRows(explanation: Explanation, style: Style): string[] {
  const { call, prediction } = explanation;
  const place = [`line ${call.line}`, `turn ${call.turn}`, call.model ?? '', call.messageId].filter(Boolean);
  return [
    style.bold(`call ${call.number}: ${tokens(call.context)} tokens measured`),
    row('at', onOneLine(place.join(' · '))),
    row('measured', measuredText(call)),
    row('predicted', prediction === null ? 'nothing: no call before it in this context' : totalText(prediction)),
    ...errorRows(explanation),
    row('answer', `${tokens(call.output)} tokens, ${call.outputKnown ? 'as counted' : 'estimated from what it wrote'}`),
    row('cost', call.usd === null ? 'no list price for this model' : `${dollars(call.usd)} at list prices`),
    ...(prediction === null ? [] : partsText(prediction, style)),
  ];
}

function measuredText({ input, cacheCreation, cacheRead, context }: Explanation['call']): string {
  return `${tokens(input)} new + ${tokens(cacheCreation)} written to the cache + ${tokens(cacheRead)} read from it = ${tokens(context)}`;
}

function totalText({ used, output, outputKnown, added, total }: Prediction): string {
  const written = outputKnown ? 'its output as counted' : 'its output as estimated';
  return `${tokens(used)} of the call before + ${signedText(output)} ${written} + ${signedText(added)} that came in = ${tokens(total)}`;
}

function errorRows({ error }: Explanation): string[] {
  if (error === null) return [];
  const side = error.tokens < 0 ? 'too low' : 'too high';
  return [row('error', `${tokens(Math.abs(error.tokens))} tokens ${side} (${Math.abs(error.percent).toFixed(3)} %)`)];
}

function partsText({ parts, scales }: Prediction, style: Style): string[] {
  if (parts.length === 0) return [];
  const head = ['what came in', 'line', 'characters', 'expected', 'tokens'];
  const learned = `a token expected has turned out as ${scales.prose.toFixed(2)} in prose, ${scales.code.toFixed(2)} in results, ${scales.json.toFixed(2)} in input of tools`;
  return ['', ...indentRows([head, ...parts.map(partRow)]), style.dim(`  ${learned}`)];
}

function partRow({
  source,
  block,
  line,
  chars,
  expected,
  tokens: size,
  inOutput,
}: Prediction['parts'][number]): string[] {
  const what = `${onOneLine(source)} (${block}${inOutput ? ', in the output' : ''})`;
  return [what, String(line), tokens(chars), signedText(expected), signedText(size)];
}

function signedText(count: number): string {
  return count < 0 ? `-${tokens(-count)}` : tokens(count);
}

/** The estimated figures with ctxb: totals first, then a row for each session, the highest cost first. */
export const whatIf: Report = (sessions, page) => {
  const totals = whatIfTotals(sessions);
  const unknown = unknownWindows(sessions);
  const left = unknown > 0 && `${counted(unknown, 'session')} left out: the window is not known, --window sets it`;
  if (totals === undefined) return present('no calls to try ctxb on', left);
  const tried = sessions.flatMap((session) => (session.whatIf ? [{ ...session, found: session.whatIf }] : []));
  const shown =
    totals.sessions === 1
      ? tried.map((session) => ofSession(session, page))
      : [totalsTable(totals, page), ...rowsOf(tried, totals, page)];
  const { calls, estimated, fetched } = totals;
  const refetchLine = fetched > 0 && `With ctxb ${counted(fetched, 'result')} would have been fetched again.`;
  const known = `by how much the context grew before ${tokens(calls - estimated)} of ${counted(calls, 'call')}`;
  const sentences = present(`Exact: the recorded calls, and ${known}.`, refetchLine, ...ASSUMED);
  return [present(...shown, left, sentences.map(page.style.dim).join('\n')).join('\n\n')];
};

type SessionWithWhatIf = SessionSummary & { readonly found: SessionWhatIf };

function ofSession({ file, window, found }: SessionWithWhatIf, page: Page): string {
  const about = `${counted(found.calls, 'call')}, window ${tokens(window.tokens ?? 0)}`;
  return tableOf(`${page.style.bold(onOneLine(file))}  ${about}`, found, page);
}

function totalsTable(totals: WhatIfTotals, page: Page): string {
  const { since } = page.list;
  const title = page.style.bold(since === undefined ? 'All' : `Since ${dayOf(since)}`);
  const sums = `${title}  ${counted(totals.sessions, 'session')}, ${counted(totals.calls, 'call')}`;
  return [tableOf(sums, totals, page), dearerRow(totals)].join('\n');
}

/** A row for each listed session. */
function rowsOf(tried: readonly SessionWithWhatIf[], totals: WhatIfTotals, page: Page): string[] {
  const dearest = listed(
    tried.toSorted((a, b) => (b.found.actual.usd ?? 0) - (a.found.actual.usd ?? 0)),
    page,
  );
  const figures = figureColumns(
    ({ calls, actual, ctxb }: Omit<SessionWhatIf, 'curve'>) => ({
      calls: tokens(calls),
      cost: costOf(actual),
      'with ctxb': costOf(ctxb),
      compactions: tokens(ctxb.reliefs),
    }),
    dearest.map(({ found }) => found),
    totals,
  );
  const columns = [{ heading: 'first prompt', cells: dearest.map(promptOf), takesRest: true }, ...figures];
  const rows = dearest.length === 0 ? [] : table(columns, counted(totals.sessions, 'session'), page);
  return [[...rows, ...unlistedRows(tried.length, page)].join('\n')].filter(Boolean);
}

/** How many sessions would have cost more with ctxb. */
function dearerRow({ sessions, dearer }: WhatIfTotals): string {
  if (dearer.sessions === 0) return '  no session would have cost more';
  return `  ${tokens(dearer.sessions)} of ${counted(sessions, 'session')} would have cost more, ${dollars(dearer.mostUsd)} at most`;
}

const ASSUMED = [
  `Assumed: a compaction leaves ${tokens(USUALLY_KEPT)} tokens more than the smallest context of the session, with the last steps, the results in use and the prompts whole.`,
  'Assumed: the model does the same in as many calls, and the cache is as warm as it was recorded.',
  'Assumed: a result that a compaction took is fetched again as soon as a call names a path or a figure, or edits a line, that it does not see elsewhere.',
  'Left out: results that ctxb cuts, cost limits, and subagents. Costs are list prices.',
  'Estimated: the calls that wrote summaries. Logs do not have them, so ctxb replay shows a lower cost.',
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
  return present(title, actual.usd !== null && style.bold(verdict), ...indentRows(rows, undefined, edge)).join('\n');
}

function cellsOf({ peak, read, cacheRead, usd, reliefs }: Figures): string[] {
  return [tokens(peak), millions(read), millions(cacheRead), costOf({ usd }), tokens(reliefs)];
}

function costOf({ usd }: Pick<Figures, 'usd'>): string {
  return usd === null ? '' : dollars(usd);
}

/** 19728242 → `19.73M`, 19728 → `20k` */
function millions(count: number): string {
  return count >= 1_000_000 ? `${(count / 1_000_000).toFixed(2)}M` : `${tokens(count / 1000)}k`;
}

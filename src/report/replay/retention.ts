import { FACT_KINDS, REPORTED_KINDS } from '../../core/memory/notebook/fact.ts';
import { FACT_NAMES } from '../../messages.ts';
import type { RecordedRelief } from '../../replay/recorded-items.ts';
import type { SessionSummary } from '../../replay/summary.ts';
import { countKept, type RetentionCounts, type RetentionTotals, retentionTotals } from '../../replay/sums.ts';
import { counted, percent, tokens } from '../figures.ts';
import { indentRows } from '../layout.ts';
import type { Page, Report } from './format.ts';
import { promptTable } from './session-list.ts';

export const retention: Report = (sessions, page) => {
  const { style, edge } = page;
  const relieved = sessions.filter((session) => reliefsOf(session).length > 0);
  if (relieved.length === 0) return ['no compaction or handoff with a request after it'];
  const totals = retentionTotals(relieved.flatMap(reliefsOf));
  return [
    style.bold(`What the next request contained, over ${counted(totals.reliefs, 'relief')} (compactions and handoffs)`),
    ...indentRows([['', ...Object.keys(keptTexts(totals.known.paths))], ...knownRows(totals)], edge),
    '',
    style.bold('By session, what must not be lost: prompts, commands that failed or ran again, dead ends'),
    ...sessionTable(relieved, page),
    '',
    style.dim(NOTE),
  ];
};

const NOTE =
  '  by claude: its summary and the messages that stay. With ctxb: also what ctxb handed back, or, in a recording without ctxb, what it would have handed back. A fact counts if its whole line is in the request.';

const reliefsOf = ({ retention: reliefs = [] }: SessionSummary): readonly RecordedRelief[] => reliefs;

function knownRows({ known }: RetentionTotals): string[][] {
  return FACT_KINDS.flatMap((kind) =>
    known[kind].all === 0 ? [] : [[FACT_NAMES[kind], ...Object.values(keptTexts(known[kind]))]],
  );
}

/** Narrower pages omit the column with the number of reliefs. */
const ROOM_FOR_RELIEFS = 60;

function sessionTable(relieved: readonly SessionSummary[], page: Page): string[] {
  const figures = (reliefs: readonly RecordedRelief[]) => ({
    ...(page.edge >= ROOM_FOR_RELIEFS && { reliefs: tokens(reliefs.length) }),
    ...keptTexts(countKept(reliefs, REPORTED_KINDS)),
  });
  return promptTable(relieved, (session) => figures(reliefsOf(session)), figures(relieved.flatMap(reliefsOf)), page);
}

function keptTexts({ all, kept, given }: RetentionCounts) {
  return { known: tokens(all), 'by claude': partText(kept - given, all), 'with ctxb': partText(kept, all) };
}

/** A count and its share in one cell, so that a split table keeps them together. */
function partText(part: number, all: number): string {
  return `${tokens(part)}  ${(all === 0 ? '-' : percent(part / all)).padStart(4)}`;
}

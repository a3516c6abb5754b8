import type { SessionSummary } from '../../replay/summary.ts';
import { dollars, percent, tokens } from '../figures.ts';
import { filled, fitted } from '../fitted.ts';
import { aligned } from '../table.ts';
import type { Page } from './format.ts';
import { shortNames } from './short-names.ts';
import { sparkline, sparklineWidth } from './sparkline.ts';
import { totalsOf } from './totals.ts';

const HEADINGS = ['peak', 'calls', 'compacted', 'cost'];
const CURVE_HEADING = 'context';

/** Names and curves share what the figures leave; below this much of it lines get longer than the page is wide. */
const MIN_NAME = 12;
const MIN_CURVE = 8;

const GAP = '  ';

/** A line for each session, and one for all where there are several. */
export function sessionTable(sessions: readonly SessionSummary[], page: Page): string[] {
  const several = sessions.length > 1;
  const totals = several ? [cellsOf(sessions, page)] : [];
  const figures = aligned([['', ...HEADINGS], ...sessions.map((session) => cellsOf([session], page)), ...totals]);
  const names = shortNames(sessions.map(({ file }) => file));
  const firsts = ['session', ...names, ...(several ? [`${tokens(sessions.length)} sessions`] : [])];
  const curves = Math.max(MIN_CURVE, ...sessions.map(sparklineWidth));
  const widths = shared(page.columns - (figures[0]?.length ?? 0) - GAP.length, longest(firsts), curves);
  const lines = firsts.map((first, at) => {
    const session = sessions[at - 1];
    const curve =
      session === undefined
        ? (at === 0 ? CURVE_HEADING : '').padEnd(widths.curve)
        : sparkline(session, widths.curve, page);
    return nameCell(first, widths.name, page) + GAP + curve + figures[at];
  });
  return lines.map((line, at) => (at === 0 ? page.style.bold(line) : line));
}

function cellsOf(sessions: readonly SessionSummary[], { glyphs: { none } }: Page): string[] {
  const { peakFraction, calls, compactions, usd } = totalsOf(sessions);
  const peak = peakFraction === null ? none : percent(peakFraction);
  return ['', peak, tokens(calls), tokens(compactions), usd === null ? none : dollars(usd)];
}

/** The room for names and curves: what both need, else a half each, and what one does not need for the other. */
function shared(room: number, name: number, curve: number) {
  const forName = Math.min(name, Math.max(MIN_NAME, Math.ceil(room / 2), room - curve));
  return { name: forName, curve: Math.max(MIN_CURVE, Math.min(curve, room - forName)) };
}

function longest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, [...text].length), 0);
}

/**
 * Of a name that is too long its end, which tells files of one folder apart; of a long file name its beginning, and
 * its ending, which is that of all, first.
 */
function nameCell(full: string, width: number, { glyphs: { ellipsis } }: Page): string {
  const name = [...full].length > width ? full.replace(/\.(?:jsonl|ndjson)$/, '') : full;
  const file = name.slice(name.lastIndexOf('/') + 1);
  const isFolderLong = [...file].length < width;
  return filled(isFolderLong ? fitted(name, width, ellipsis, 'end') : fitted(file, width, ellipsis), width);
}

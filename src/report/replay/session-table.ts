import type { SessionSummary } from '../../replay/summary.ts';
import { dollars, percent, tokens } from '../figures.ts';
import { aligned, filled, fitted } from '../layout.ts';
import { onOneLine } from '../shown.ts';
import type { Page } from './format.ts';
import { sparkline, sparklineWidth } from './sparkline.ts';

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

/** What sessions amount to. */
export interface Totals {
  /** The highest share of a window; null where none is known. */
  readonly peakFraction: number | null;
  readonly calls: number;
  readonly compactions: number;
  /** Of those sessions whose cost is known; null where none is. */
  readonly usd: number | null;
}

export function totalsOf(sessions: readonly SessionSummary[]): Totals {
  const sum = (figure: (session: SessionSummary) => number) => sessions.reduce((all, each) => all + figure(each), 0);
  const peaks = sessions.flatMap(({ calls, context }) => (calls > 0 ? (context.peakFraction ?? []) : []));
  return {
    peakFraction: peaks.length === 0 ? null : peaks.reduce((most, peak) => Math.max(most, peak)),
    calls: sum(({ calls }) => calls),
    compactions: sum(({ compactions }) => compactions.length),
    usd: sessions.some(({ cost }) => cost.usd !== null) ? sum(({ cost }) => cost.usd ?? 0) : null,
  };
}

/** Names of files for a table, without the folder that all of them are in: it says nothing about one. */
export function shortNames(files: readonly string[]): string[] {
  const names = files.map(onOneLine);
  if (names.length < 2) return names;
  const folders = names.map((name) => name.split('/').slice(0, -1));
  const [first = []] = folders;
  let common = 0;
  while (common < first.length && folders.every((folder) => folder[common] === first[common])) common++;
  return names.map((name) => name.split('/').slice(common).join('/'));
}

import { totalsOf } from '../../replay/copies.ts';
import type { SessionSummary, Totals } from '../../replay/summary.ts';
import { costText, percent, tokens } from '../figures.ts';
import { aligned, columnsOf, filled, fitted, indented } from '../layout.ts';
import { onOneLine } from '../shown.ts';
import type { Glyphs } from '../style.ts';
import type { Page } from './format.ts';
import { sparkline, sparklineWidth } from './sparkline.ts';

/** Name and curve share what the figures leave; below this much of it lines get longer than the page is wide. */
const MIN_NAME = 12;
const MIN_CURVE = 8;

const GAP = '  ';

/** Columns before a table below a title. */
const INDENT = 2;

export function sessionTable(session: SessionSummary, page: Page): string[] {
  const [headings = '', figures = ''] = aligned([
    ['', 'peak', 'calls', 'compacted', 'cost'],
    ['', ...figuresOf(totalsOf([session]), page.glyphs)],
  ]);
  // The lines below name the file.
  if (page.columns < MIN_NAME + GAP.length + MIN_CURVE + headings.length) {
    return [page.style.bold(headings.trimStart()), figures.slice(headings.length - headings.trimStart().length)];
  }
  const name = onOneLine(session.file);
  const widths = shared(
    page.columns - headings.length - GAP.length,
    Math.max(columnsOf(name), 'session'.length),
    Math.max(MIN_CURVE, sparklineWidth(session)),
  );
  const heading = filled('session', widths.name) + GAP + 'context'.padEnd(widths.curve) + headings;
  return [
    page.style.bold(heading),
    nameCell(name, widths.name, page) + GAP + sparkline(session, widths.curve, page) + figures,
  ];
}

/** A line of figures for each recording, whose names take what room is left. */
export function bySession(head: readonly string[], rows: readonly FileRow[], page: Page): string[] {
  const [figures = ''] = aligned([head, ...rows.map(({ cells }) => cells)].map((cells) => ['', ...cells]));
  const room = Math.max(MIN_NAME, page.columns - INDENT - figures.length);
  const named = rows.map(({ file, cells }) => [nameCell(onOneLine(file), room, page).trimEnd(), ...cells]);
  return indented([['', ...head], ...named], undefined, page.edge);
}

interface FileRow {
  readonly file: string;
  readonly cells: readonly string[];
}

/** Peak, calls, compactions and cost. */
export function figuresOf(totals: Totals, glyphs: Glyphs): string[] {
  const { peakFraction, calls, compactions } = totals;
  const peak = peakFraction === null ? glyphs.none : percent(peakFraction);
  return [peak, tokens(calls), tokens(compactions), costText(totals, glyphs)];
}

/** The room for the name and the curve: what both need, else a half each, and what one does not need for the other. */
function shared(room: number, name: number, curve: number) {
  const forName = Math.min(name, Math.max(MIN_NAME, Math.ceil(room / 2), room - curve));
  return { name: forName, curve: Math.max(MIN_CURVE, Math.min(curve, room - forName)) };
}

/**
 * Of a name that is too long its end, which tells files of one folder apart; of a long file name its beginning, and
 * its ending, which is that of all, first.
 */
function nameCell(full: string, width: number, { glyphs: { ellipsis } }: Page): string {
  const name = columnsOf(full) > width ? full.replace(/\.(?:jsonl|ndjson)$/, '') : full;
  const file = name.slice(name.lastIndexOf('/') + 1);
  const isFolderLong = columnsOf(file) < width;
  return filled(isFolderLong ? fitted(name, width, ellipsis, 'end') : fitted(file, width, ellipsis), width);
}

import type { Totals } from '../../replay/summary.ts';
import { costText, percent, tokens } from '../figures.ts';
import { aligned, columnsOf, filled, fitted, indented } from '../layout.ts';
import { onOneLine } from '../shown.ts';
import type { Glyphs } from '../style.ts';
import type { Page } from './format.ts';

/** With less space for names, lines become wider than the page. */
const MIN_NAME = 12;

/** Columns before a table below a title. */
const INDENT = 2;

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

/**
 * A name that is too long keeps its end, which distinguishes files of a folder. A long file name keeps its beginning,
 * and first loses the common ending.
 */
function nameCell(full: string, width: number, { glyphs: { ellipsis } }: Page): string {
  const name = columnsOf(full) > width ? full.replace(/\.(?:jsonl|ndjson)$/, '') : full;
  const file = name.slice(name.lastIndexOf('/') + 1);
  const isFolderLong = columnsOf(file) < width;
  return filled(isFolderLong ? fitted(name, width, ellipsis, 'end') : fitted(file, width, ellipsis), width);
}

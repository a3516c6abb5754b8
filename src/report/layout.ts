type Rows = readonly (readonly string[])[];

const GAP = '  ';

export function presentLines(...lines: readonly (string | false | undefined)[]): string[] {
  return lines.filter((line) => line !== false && line !== undefined);
}

/**
 * Aligns a table. The first row sets the number of columns.
 * @param width a wider table is split into bands, each with all rows and their names
 */
export function align(rows: Rows, width = Number.POSITIVE_INFINITY): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const bands: number[][] = [];
  let used = 0;
  for (const [column, room] of widths.slice(1).entries()) {
    used += GAP.length + room;
    if (bands.length === 0 || used > width) {
      bands.push([0]);
      used = (widths[0] ?? 0) + GAP.length + room;
    }
    bands.at(-1)?.push(column + 1);
  }
  const cellIn = (row: readonly string[], column: number) =>
    column === 0 ? (row[0] ?? '').padEnd(widths[0] ?? 0) : (row[column] ?? '').padStart(widths[column] ?? 0);
  return bands.flatMap((band) => rows.map((row) => band.map((column) => cellIn(row, column)).join(GAP)));
}

/** The rows of a table: the keys of the records are the headings. */
export function tableOf(records: readonly Readonly<Record<string, string>>[]): string[][] {
  return [Object.keys(records[0] ?? {}), ...records.map((record) => Object.values(record))];
}

export function indentRows(rows: Rows, width?: number): string[] {
  return align(rows, width && width - 2).map((line) => `  ${line}`);
}

const MAX_WIDTH = 110;
const NARROWEST = 60;

/** Line width for sentences. @param columns width of the terminal; undefined if the output is not a terminal */
export function textWidth(columns: number | undefined): number {
  return Math.max(NARROWEST, Math.min(columns ?? MAX_WIDTH, MAX_WIDTH) - 1);
}

/** Wraps lines at spaces for a terminal; continuation lines are indented to the text after a label. */
export function foldText(text: string, columns = Number.POSITIVE_INFINITY): string {
  const fold = (whole: string) => {
    // Trailing spaces that pad a cell must not wrap onto a line of their own.
    const line = columnsOf(whole) > columns ? whole.trimEnd() : whole;
    if (columnsOf(line) <= columns) return line;
    // Two or more spaces after a cell are its padding, and the next cell begins there.
    const [begin = ''] = /^ *(?:\S{1,20} )?\S{0,20} {2,40}(?! )|^ */.exec(line) ?? [];
    const indent = columnsOf(begin);
    return begin + wrap(line.slice(begin.length), columns - indent).join(`\n${' '.repeat(indent)}`);
  };
  return text.split('\n').map(fold).join('\n');
}

/** A ctxb command with its options. It is never wrapped, so that it can be copied. */
const COMMAND = /\bctxb [a-z]+(?: --?[\w-]+)*/g;

const NO_BREAK_SPACE = '\u00a0';

/** Indents continuation lines to the text. Never breaks a ctxb command. */
export function hangingIndent(label: string, text: string, columns = Number.POSITIVE_INFINITY): string {
  const indent = columnsOf(label) + 1;
  const line = text.replace(COMMAND, (command) => command.replaceAll(' ', NO_BREAK_SPACE));
  const lines = wrap(line, Math.max(1, columns - indent)).join(`\n${' '.repeat(indent)}`);
  return `${label} ${lines.replaceAll(NO_BREAK_SPACE, ' ')}`;
}

/** Wraps a text at spaces to at most `width` columns; a longer word gets its own line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && columnsOf(longer) > width) {
      lines.push(line.trimEnd());
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** East Asian characters take two columns of a terminal. Combining marks take no column. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
const NO_WIDTH = /\p{Mn}|\p{Me}|\p{Cf}/u;

export function columnsOf(text: string): number {
  // ctxb's color sequences take no columns.
  const plain = text.replace(/\u001b\[\d+m/g, '');
  if (/^[ -~]*$/.test(plain)) return plain.length;
  return [...plain].reduce((sum, point) => sum + widthOf(point), 0);
}

function widthOf(point: string): number {
  return NO_WIDTH.test(point) ? 0 : WIDE.test(point) ? 2 : 1;
}

const ELLIPSIS = '…';

export function fitText(text: string, width: number, keep: 'begin' | 'end' = 'begin'): string {
  if (columnsOf(text) <= width) return text;
  const points = keep === 'begin' ? [...text] : [...text].reverse();
  let room = Math.max(0, width - ELLIPSIS.length);
  const end = points.findIndex((point) => {
    room -= widthOf(point);
    return room < 0;
  });
  const kept = points.slice(0, end);
  return keep === 'begin' ? kept.join('') + ELLIPSIS : ELLIPSIS + kept.reverse().join('');
}

export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - columnsOf(text)));
}

/** Rows as lines: names to the left, figures to the right. The first row says how many columns there are. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
}

const WIDEST = 110;
const NARROWEST = 60;

/**
 * The width for sentences.
 *
 * @param columns of the terminal; undefined: no terminal
 */
export function textWidth(columns: number | undefined): number {
  return Math.max(NARROWEST, Math.min(columns ?? WIDEST, WIDEST) - 1);
}

/** Cuts a text at its blanks into lines of at most `width` characters; a longer word keeps a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && longer.length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/**
 * A text that is to take no more than `width` code points. Of one that is too long the `keep` part stays.
 *
 * @param ellipsis stands for what was cut off
 */
export function fitted(text: string, width: number, ellipsis: string, keep: 'begin' | 'end' = 'begin'): string {
  // As many units hold at most as many code points.
  if (text.length <= width) return text;
  const points = [...text];
  if (points.length <= width) return text;
  const room = Math.max(0, width - ellipsis.length);
  return keep === 'begin'
    ? points.slice(0, room).join('') + ellipsis
    : ellipsis + points.slice(points.length - room).join('');
}

/** Filled up with blanks to `width` code points. */
export function filled(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length));
}

const WIDEST = 110;
const NARROWEST = 60;

/** Columns to write sentences in, for a terminal of so many; undefined: no terminal. */
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

/** A longer line, in bytes, holds pictures or documents: no context would take as much text. */
const LONG_LINE = 8 * 1024 * 1024;

/** Bytes that are read of each string in a long line. */
const MOST_BYTES = 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const UNICODE = 0x75;

/**
 * The text of a line. Of one of more than 8 MiB each string is cut to 1 MiB, still in valid JSON: a line of 57 MiB would
 * take half a gigabyte as text and as the values parsed from it.
 */
export function textOfLine(line: Buffer): string {
  if (line.length <= LONG_LINE) return line.toString();
  const pieces: string[] = [];
  let from = 0;
  for (let open = line.indexOf(QUOTE); open !== -1; ) {
    const close = closingQuote(line, open + 1);
    if (close - open > MOST_BYTES) {
      pieces.push(line.toString('utf8', from, boundary(line, open + 1, open + MOST_BYTES)));
      from = close;
    }
    open = line.indexOf(QUOTE, close + 1);
  }
  return pieces.join('') + line.toString('utf8', from);
}

/** Where the string ends whose inside begins at `from`; the end of the line where nothing closes it. */
function closingQuote(line: Buffer, from: number): number {
  for (let quote = line.indexOf(QUOTE, from); quote !== -1; quote = line.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0;
    while (line[quote - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
  }
  return line.length;
}

/** The first place at or behind `at` where neither an escape nor a character of the string that begins at `from` is under way. */
function boundary(line: Buffer, from: number, at: number): number {
  let place = from;
  for (let slash = line.indexOf(BACKSLASH, place); slash !== -1 && slash < at; ) {
    place = slash + (line[slash + 1] === UNICODE ? 6 : 2);
    slash = line.indexOf(BACKSLASH, place);
  }
  place = Math.max(place, at);
  while (((line[place] ?? 0) & 0xc0) === 0x80) place++;
  return place;
}

/** Reads CSV as RFC 4180 has it, and nothing that it has not: each line ends in CRLF, quotes are doubled or enclose. */
export function readCsv(text: string): Record<string, string>[] {
  const [header = [], ...rows] = cellsOf(text);
  return rows.map((row) => {
    if (row.length !== header.length) throw new Error(`${row.length} cells under ${header.length} headings`);
    return Object.fromEntries(header.map((name, column) => [name, row[column] ?? '']));
  });
}

const CELL = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;

function cellsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  CELL.lastIndex = 0;
  while (CELL.lastIndex < text.length) {
    const from = CELL.lastIndex;
    const [, quoted, plain = '', end] = CELL.exec(text) ?? [];
    if (end === undefined) throw new Error(`no CSV at character ${from}: ${text.slice(from, from + 40)}`);
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

import { onOneLine } from '../shown.ts';
import type { OpenReport } from './format.ts';
import { SESSION_COLUMNS } from './session-columns.ts';

/** A row for each session, after RFC 4180. */
export const csv: OpenReport = () => {
  const header = csvLine(SESSION_COLUMNS.map(([name]) => name));
  let begun = false;
  const begin = () => {
    const due = begun ? '' : header;
    begun = true;
    return due;
  };
  return {
    session: (session) => begin() + csvLine(SESSION_COLUMNS.map(([, figure]) => figure(session))),
    end: begin,
  };
};

function csvLine(figures: readonly (string | number | boolean | null)[]): string {
  return `${figures.map(cell).join(',')}\r\n`;
}

function cell(figure: string | number | boolean | null): string {
  if (typeof figure !== 'string') return figure === null ? '' : String(figure);
  const text = harmless(onOneLine(figure));
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A spreadsheet takes a text that begins so for a formula, and runs it. */
function harmless(text: string): string {
  return /^[=+\-@]/.test(text) ? `'${text}` : text;
}

import type { SessionSummary } from '../../replay/summary.ts';
import { tokens } from '../figures.ts';
import { collected } from './format.ts';
import { sessionRows } from './session-rows.ts';
import { sessionTable } from './session-table.ts';

/** Shares of a window that nobody has measured are to be read as such. */
function assumedRows(sessions: readonly SessionSummary[]): string[] {
  const assumed = sessions.filter(({ window, calls }) => window.source === 'assumed' && calls > 0).length;
  if (assumed === 0) return [];
  const whose = assumed === sessions.length ? 'all' : `${tokens(assumed)} of ${tokens(sessions.length)}`;
  return [`  The window is assumed for ${whose}: logs do not name it, --window does.`];
}

/** The report for a person: a line for each session, and more about it where there is only one. */
export const text = collected(({ sessions }, page) => {
  const [only, ...others] = sessions;
  if (only === undefined) return 'no recordings found\n';
  const rows = others.length === 0 ? sessionRows(only, page.glyphs) : assumedRows(sessions);
  return [...sessionTable(sessions, page), ...rows, ''].join('\n');
});

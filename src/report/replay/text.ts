import type { SessionSummary } from '../../replay/summary.ts';
import { tokens } from '../figures.ts';
import { collected } from './format.ts';
import { sessionList } from './session-list.ts';
import { sessionRows } from './session-rows.ts';
import { sessionTable } from './session-table.ts';

/** Sessions without shares say why, and what gives them. */
function unknownWindowRows(sessions: readonly SessionSummary[]): string[] {
  const unknown = sessions.filter(({ window, calls }) => window.tokens === null && calls > 0).length;
  if (unknown === 0) return [];
  const whose =
    unknown === sessions.length ? 'all sessions' : `${tokens(unknown)} of ${tokens(sessions.length)} sessions`;
  return [`  The window of ${whose} is not known: --window sets it, for shares of it.`];
}

/** The report for a person: a line for each session, and more about it where there is only one. */
export const text = collected(({ sessions }, page) => {
  const [only, ...others] = sessions;
  if (only === undefined) return 'no recordings found\n';
  if (others.length > 0) return [...sessionList(sessions, page), ...unknownWindowRows(sessions), ''].join('\n');
  return [...sessionTable(only, page), ...sessionRows(only, page.glyphs), ''].join('\n');
});

import { collected } from './format.ts';
import { sessionRows } from './session-rows.ts';
import { sessionTable } from './session-table.ts';

/** The report for a person: a line for each session, and more about it where there is only one. */
export const text = collected(({ sessions }, page) => {
  const [only, ...others] = sessions;
  if (only === undefined) return 'no recordings found\n';
  const rows = others.length === 0 ? sessionRows(only, page.glyphs) : [];
  return [...sessionTable(sessions, page), ...rows, ''].join('\n');
});

import { totalsOf } from '../../replay/copies.ts';
import type { SessionFigures } from '../../replay/summary.ts';
import { counted } from '../figures.ts';
import { onOneLine } from '../shown.ts';
import { listed, type Report } from './format.ts';
import { CALLS, COMPACTIONS, COST, PEAK, shortPaths } from './session-list.ts';

/** A table for a pull request or a CI job summary. */
export const markdown: Report<SessionFigures> = (sessions, page, { breaches, faults }) => {
  const shown = listed(sessions, page);
  const names = shortPaths(shown.map(({ file }) => file));
  const rows = shown.map((session, at) => [cell(names[at] ?? ''), ...figuresOf([session])]);
  if (sessions.length > 1) rows.push([`**${counted(sessions.length, 'session')}**`, ...figuresOf(sessions)]);
  const parts = [
    '### Context of Claude Code',
    ...bulletList('Gates that were not passed:', breaches),
    ...bulletList('What could not be read:', faults),
    rows.length === 0
      ? 'no recordings found'
      : [HEAD, RULE, ...rows.map((cells) => cells.join(' | '))].map(inBars).join('\n'),
  ];
  return [parts.join('\n\n')];
};

const HEAD = 'session | peak | calls | compacted | cost';
const RULE = '--- | ---: | ---: | ---: | ---:';

const inBars = (cells: string) => `| ${cells} |`;

function figuresOf(sessions: readonly SessionFigures[]): string[] {
  const totals = totalsOf(sessions);
  return [PEAK, CALLS, COMPACTIONS, COST].map(([, text]) => text(totals));
}

function bulletList(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading, lines.map((line) => `- ${cell(line)}`).join('\n')];
}

/** Escapes Markdown in untrusted text: any ASCII punctuation may follow a backslash. */
function cell(text: string): string {
  return onOneLine(text).replace(/[\\`*_{}[\]<>()#!|~&@:]/g, '\\$&');
}

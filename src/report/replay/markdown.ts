import { totalsOf } from '../../replay/copies.ts';
import type { SessionSummary } from '../../replay/summary.ts';
import { COMPACTED_BY, counted, NONE, tokens } from '../figures.ts';
import { onOneLine } from '../shown.ts';
import { listed, type Report } from './format.ts';
import { CALLS, COMPACTIONS, COST, PEAK, shortPaths } from './session-list.ts';

/** Maximum number of tool results shown, over all sessions. */
const LARGEST = 10;

interface NamedSession {
  readonly session: SessionSummary;
  readonly name: string;
}

/** Tables for a pull request or a CI job summary. */
export const markdown: Report = (sessions, page, { breaches, faults }) => {
  const shown = listed(sessions, page);
  const names = shortPaths(shown.map(({ file }) => file));
  const named = shown.map((session, at) => ({ session, name: cell(names[at] ?? '') }));
  const parts = [
    '### Context of Claude Code',
    ...bulletList('Gates that were not passed:', breaches),
    ...bulletList('What could not be read:', faults),
    ...(sessions.length === 0 ? ['no recordings found'] : []),
    ...sessionsTable(named, sessions),
    ...compactionsTable(named),
    ...largestTable(named),
  ];
  return [parts.join('\n\n')];
};

function bulletList(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [heading, lines.map((line) => `- ${cell(line)}`).join('\n')];
}

function sessionsTable(named: readonly NamedSession[], all: readonly SessionSummary[]): string[] {
  const figures = (sessions: readonly SessionSummary[]) => {
    const totals = totalsOf(sessions);
    return [PEAK, CALLS, COMPACTIONS, COST].map(([, text]) => text(totals));
  };
  const rows = named.map(({ session, name }) => [name, ...figures([session])]);
  const last = [`**${counted(all.length, 'session')}**`, ...figures(all)];
  const headings = ['session', 'peak', 'calls', 'compacted', 'cost'];
  return table(headings, 1, all.length > 1 ? [...rows, last] : rows);
}

function compactionsTable(named: readonly NamedSession[]): string[] {
  const rows = named.flatMap(({ session, name }) =>
    session.compactions.map(({ by, call, preTokens, gaugeBefore, firstAfter }) => [
      name,
      COMPACTED_BY[by],
      tokens(call),
      tokens(preTokens ?? gaugeBefore),
      firstAfter === null ? NONE : tokens(firstAfter),
    ]),
  );
  return table(['session', 'compacted by', 'after call', 'from', 'to'], 2, rows);
}

function largestTable(named: readonly NamedSession[]): string[] {
  const rows = named
    .flatMap(({ session, name }) => session.largest.map((result) => ({ name, ...result })))
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, LARGEST)
    .map(({ name, tool, target, tokens: size, stayed }) => {
      return [name, cell(tool), cell(target), tokens(size), tokens(stayed)];
    });
  return table(['session', 'largest results', 'of', 'tokens, about', 'calls with it'], 3, rows);
}

/** @param texts number of text columns; the others are right-aligned figures */
function table(headings: readonly string[], texts: number, rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const rule = headings.map((_, column) => (column < texts ? '---' : '---:'));
  return [[headings, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')];
}

/** Escapes Markdown in untrusted text: any ASCII punctuation may follow a backslash. */
function cell(text: string): string {
  return onOneLine(text).replace(/[\\`*_{}[\]<>()#!|~&@:]/g, '\\$&');
}

import { expect, it } from 'vitest';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { whatIf } from '../../../src/report/replay/what-if.ts';
import { type CallSketch, sketched } from '../../support/recorded-session.ts';
import { pageOf, written } from '../../support/session-summary.ts';

const calls = Array.from(
  { length: 140 },
  (_, at): CallSketch => ({ context: (at + 20) * 1_000, turn: at + 1, output: 100 }),
);
const session = sketched({ calls });
const short = sketched({ calls: calls.slice(0, 2) });
const text = (...sessions: SessionSummary[]) => written(whatIf, sessions);

it('prints a table of a session with and without ctxb, and the assumptions', () => {
  const lines = text(session).split('\n');
  expect(lines.slice(0, 2)).toEqual([
    'recording  140 calls, window 200,000',
    expect.stringMatching(/^ {2}with ctxb: \d+% less$/),
  ]);
  expect(lines[2]).toMatch(/^ +peak +read +cached +cost +compactions$/);
  expect(lines[3]).toMatch(/^ {2}what happened +159,000 +12\.5M +12\.4M +\$\d\.\d\d +0$/);
  expect(lines[4]).toMatch(/^ {2}with ctxb +1\d\d,000 .* \d$/);
  expect(lines[6]).toBe('Exact: the recorded calls, and by how much the context grew before 140 of 140 calls.');
});

it.each([48, 60])('keeps rows whole within %d columns', (columns) => {
  const page = pageOf({ columns, edge: columns });
  const table = written(whatIf, [session], { page }).split('\n\n')[0] ?? '';
  for (const line of table.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
  for (const cell of ['peak', '159,000', 'cost']) expect(table).toContain(cell);
});

it('prints a table over several sessions, and the assumptions once', () => {
  const all = text(session, short, sketched({ calls: [] }));
  expect(all.split('\n\n')).toHaveLength(3);
  expect(all).toMatch(/^All {2}2 sessions, 142 calls\n {2}with ctxb: \d+% less\n/);
  expect(all.match(/^Exact: /gm)).toHaveLength(1);
});

it('prints a row for each of several sessions, the highest cost first', () => {
  const [, rows = ''] = text(short, session).split('\n\n');
  const cells = rows.split('\n').map((line) => line.trim().split(/ {2,}/));
  expect(cells[0]).toEqual(['first prompt', 'calls', 'cost', 'with ctxb', 'compactions']);
  expect(cells[1]).toEqual([
    'Go on with part 1.',
    '140',
    expect.stringMatching(/^\$/),
    expect.stringMatching(/^\$/),
    '1',
  ]);
  expect(cells[2]).toEqual(['Go on with part 1.', '2', cells[2]?.[2], cells[2]?.[2], '0']);
  expect(cells[4]?.slice(0, 2)).toEqual(['2 sessions', '142']);
});

it.each([
  { name: 'no session', each: () => [session], row: /^ {2}no session would have cost more$/m },
  {
    name: 'one',
    each: () => [session, endedTooSoon()],
    row: /^ {2}1 of 3 sessions would have cost more, \$0\.\d\d at most$/m,
  },
])('reports that $name would have cost more', ({ each, row }) => {
  expect(text(...each(), short)).toMatch(row);
});

/** Ends with the call behind the first compaction, which names what ten results have that are gone. */
function endedTooSoon(): SessionSummary {
  const curve = session.whatIf?.curve ?? [];
  const last = curve.findIndex((context, at) => context < (curve[at - 1] ?? 0));
  const names = Array.from({ length: 10 }, (_, at) => `src/part-${at}.ts`);
  const ended = calls
    .slice(0, last + 1)
    .map((call, at) => ({ ...call, gets: names[at] ?? '', says: at === last ? names.join(' ') : '' }));
  return sketched({ calls: ended });
}

it('lists no session with limit 0, except a single one', () => {
  const page = pageOf({ list: { limit: 0, since: Date.parse('2026-03-31T12:00') } });
  const shown = (count: number) => written(whatIf, Array(count).fill(session), { page });
  expect(shown(2)).toMatch(/^Since 2026-03-31 {2}2 sessions, 280 calls\n {2}with ctxb: .*\n\n {2}2 rows left out/s);
  expect(shown(1)).toMatch(/^recording {2}140 calls/);
});

it('has no verdict without a price, and reports that there are no calls', () => {
  expect(text(sketched({ calls, model: 'somebody-s' }))).not.toContain('with ctxb:');
  expect(text(sketched({ calls: [] }))).toBe('no calls to try ctxb on\n');
});

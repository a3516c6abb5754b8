import { describe, expect, it } from 'vitest';
import type { SessionSummary } from '../../../src/replay/summary.ts';
import { comparePolicies } from '../../../src/replay/what-if/compare.ts';
import { whatIf } from '../../../src/report/replay/what-if.ts';
import { type CallSketch, sketched, whatIfPolicy } from '../../support/recorded-session.ts';
import { pageOf, written } from '../../support/session-summary.ts';

/** The report for a person, where these policies were tried. */
function text(sessions: readonly SessionSummary[], policies: readonly object[]): string {
  const options = { policies: policies.map(whatIfPolicy), prices: {}, withCurves: false };
  return written(whatIf, comparePolicies(sessions, options));
}

const calls = Array.from(
  { length: 16 },
  (_, at): CallSketch => ({ context: (at + 3) * 10_000, turn: at + 1, output: 100 }),
);
const EARLY = { name: 'early', thresholds: { compact: '50%' }, landing: 30_000 };
const NEVER = { name: 'never', none: true, native: 'off' };

describe('for a person', () => {
  it('a session is a table against what happened, the best policies, and what is assumed', () => {
    const lines = text([sketched({ calls })], [EARLY]).split('\n');
    expect(lines.slice(0, 5)).toEqual([
      'recording  16 calls, window 200,000',
      '  least cost: early (14% less than what happened); lowest peak: early (44% less than what happened)',
      '  policy         >50%  >70%  >85%     peak   read  cached   cost  relieved by',
      '  early             0     0     0  100,000  1.14M    970k  $1.65       1 ctxb',
      '  what happened     8     4     1  180,000  1.68M   1.50M  $1.91             ',
    ]);
    expect(lines[5]).toMatch(/^ {2}Exact: /);
    expect(lines.at(-2)).toMatch(/^ {2}Estimated: /);
    expect(lines.at(-1)).toBe('');
  });

  it.each([38, 48, 60])('a row is whole within %d columns', (columns) => {
    const policies = [EARLY, { ...NEVER, name: 'a policy with quite a long name' }].map(whatIfPolicy);
    const sessions = comparePolicies([sketched({ calls })], { policies, prices: {}, withCurves: false });
    const lines = written(whatIf, sessions, { page: pageOf({ columns, edge: columns }) }).split('\n');
    const table = lines.slice(
      lines.findIndex((line) => line.startsWith('  policy')),
      lines.findIndex((line) => line.startsWith('  Exact')),
    );
    for (const line of table) expect(line.length).toBeLessThanOrEqual(columns);
    for (const cell of ['>85%', '180,000', '$1.65', '1 ctxb']) expect(table.join('\n')).toContain(cell);
  });

  it('columns without anything in them are left out, others are there', () => {
    const cut = calls.map((call, at) => (at === 3 ? { ...call, results: [['Bash', 12_000] as const] } : call));
    const [, , head, early] = text([sketched({ calls: cut })], [EARLY]).split('\n');
    expect(head).toMatch(/ {2}cut$/);
    expect(early).toMatch(/ {2}1 ctxb {4}1$/);
    const unpriced = text([sketched({ calls, model: 'somebody-s' })], [EARLY]);
    expect(unpriced).not.toMatch(/cost {2}|least cost/);
    expect(unpriced).toContain('lowest peak: early');
  });

  it('says after how many calls a context was too large', () => {
    expect(text([sketched({ calls: [...calls, { context: 190_000, turn: 17 }] })], [NEVER])).toMatch(
      /never .* after 16\n/,
    );
  });

  it('has a table over all sessions where there are several', () => {
    const small = sketched({ calls: calls.slice(0, 2) });
    const large = sketched({ calls: [...calls, { context: 190_000, turn: 17 }] });
    const all = text([large, small, sketched({ calls: [] })], [EARLY, NEVER]).split('\n\n');
    expect(all).toHaveLength(3);
    const [title, , head, ...rows] = all[2]?.split('\n') ?? [];
    expect(title).toBe('All  2 sessions, 19 calls');
    expect(head).toContain('mean peak');
    expect(rows.find((row) => row.startsWith('  what happened'))).toContain('115,000');
    expect(rows.find((row) => row.startsWith('  never'))).toMatch(/1 session$/);
  });

  it('says once what all sessions assume, and of one that no policy changes only that', () => {
    const all = text([sketched({ calls }), sketched({ calls: calls.slice(0, 2) })], [EARLY]);
    expect(all.match(/^ {2}Estimated: /gm)).toHaveLength(1);
    expect(all.match(/^ {2}Exact: /gm)).toHaveLength(2);
    expect(all).toContain('\n\nrecording  2 calls, window 200,000: no policy changes anything\n\nAll  2 sessions');
  });

  it('has no best where every context grows too large, and says so where there are no calls', () => {
    expect(text([sketched({ calls: [...calls, { context: 190_000, turn: 17 }] })], [NEVER])).not.toContain(
      'lowest peak',
    );
    expect(text([sketched({ calls: [] })], [EARLY])).toBe('no calls to try a policy on\n');
  });

  it('names cannot steer the terminal', () => {
    expect(text([sketched({ calls })], [{ ...EARLY, name: 'a\u001b[31m\nb' }])).toContain('a[31m b');
  });
});
